import { z } from 'zod'
import {
  deciderOf,
  type PersonsDecision,
  type Route,
  jsonAnswer,
  route,
  type Runtime,
  RuntimeError,
} from '../../capability.ts'
import {
  decidedBySchema,
  digestSchema,
  toolResultSchema,
  toolStatusSchema,
  toolTrialSchema,
  waitingApprovalSchema,
} from '../schema.ts'

const input = z.unknown().describe('The input of the tool, as its schema describes it.')

/** Tools for their owner: what may run and why, what a call would do, and running one by hand. */
export function toolRoutes(runtime: Runtime): readonly Route[] {
  return [
    route('GET /api/tools', {
      scope: 'read',
      summary: 'Lists every tool, whether it is offered, and why',
      answers: () => jsonAnswer('Tools', { tools: z.array(toolStatusSchema) }),
      handle: async () => ({ tools: await runtime.tools() }),
    }),
    route('POST /api/tools/:tool/plan', {
      scope: 'admin',
      summary: 'Reports what a call would do, without running it',
      body: z.strictObject({ input }),
      answers: () => jsonAnswer('What would run, or why nothing would run', toolTrialSchema),
      handle: ({ param, body }) => runtime.planTool(param('tool'), body.input),
    }),
    route('POST /api/tools/:tool/run', {
      scope: 'admin',
      summary: 'Runs a call that was planned before, under the same policy',
      description:
        'For a person who saw the plan: `digest` is the digest of that plan. A call that would do something else is refused.',
      body: z.strictObject({ input, digest: digestSchema.describe('The digest of the plan.') }),
      answers: () => jsonAnswer('The result; of a failed call, with `ok` false', toolResultSchema),
      handle: ({ param, body, caller }) => runtime.runTool(param('tool'), body.input, body.digest, caller.by),
    }),
    route('POST /api/tools/:tool/accept', {
      scope: 'admin',
      summary: 'Accepts the changed definition of a tool, which is then offered again',
      body: z.strictObject({
        digest: digestSchema.describe('The digest of the definition that was shown as withheld.'),
      }),
      answers: () => jsonAnswer('Accepted', { accepted: z.literal(true) }),
      handle: async ({ param, body, caller }) => {
        if (!(await runtime.acceptTool(param('tool'), body.digest, caller.by))) throw nothingWithheld(param('tool'))
        return { accepted: true }
      },
    }),
  ]
}

function nothingWithheld(tool: string): RuntimeError {
  return new RuntimeError(
    'decided',
    `No definition of ${tool} with this digest is waiting: it has changed again, or was accepted already. ` +
      '`foreword tools` or GET /api/tools shows its state.',
    { tool },
  )
}

const common = {
  digest: digestSchema.describe('The digest of what was shown: the decision applies to exactly that.'),
  by: decidedBySchema,
}

const decisionBody = z.discriminatedUnion('decision', [
  z.strictObject({
    decision: z.literal('approve'),
    scope: z
      .enum(['once', 'session', 'tool'])
      .default('once')
      .describe(
        '`session`: the same call is not asked about again in this session. `tool`: no call of this tool is asked about again in this session because of texts of others; only for a question with a `grant`.',
      ),
    ...common,
  }),
  z.strictObject({
    decision: z.literal('deny'),
    reason: z.string().max(2000).optional().describe('The model reads it.'),
    ...common,
  }),
])

const grantedTool = z.object({
  tool: z.string(),
  turn: z.string().describe('In which it was approved. When that is undone, the approval ends.'),
  time: z.iso.datetime(),
  by: z.string(),
})

/** Calls that wait for a person. They are for people: no tool reaches these endpoints. */
export function approvalRoutes(runtime: Runtime): readonly Route[] {
  return [
    route('GET /api/approvals', {
      scope: 'read',
      summary: 'Lists the calls that wait for approval, oldest first',
      answers: () => jsonAnswer('The waiting calls', { approvals: z.array(waitingApprovalSchema) }),
      handle: async () => ({ approvals: await runtime.approvals() }),
    }),
    route('POST /api/approvals/:approval', {
      scope: 'approve',
      summary: 'Approves or denies a call',
      description: 'The decision is on disk before the answer is sent; the turn then continues by itself.',
      body: decisionBody,
      answers: () => jsonAnswer('Decided', { approval: z.string(), decision: z.string() }),
      handle: async ({ param, body, caller }) => {
        const approval = param('approval')
        await runtime.decide(approval, { ...toDecision(body), by: deciderOf(caller, body.by) })
        return { approval, decision: body.decision }
      },
    }),
    route('GET /api/sessions/:session/approvals', {
      scope: 'read',
      tag: 'approvals',
      summary: 'Lists the tools that are approved for a session',
      answers: () => jsonAnswer('Tools', { granted: z.array(grantedTool) }),
      handle: async ({ param }) => ({ granted: await runtime.grantedTools(param('session')) }),
    }),
    route('DELETE /api/sessions/:session/approvals/:tool', {
      scope: 'approve',
      tag: 'approvals',
      summary: 'Takes back the approval of a tool for a session',
      answers: () => jsonAnswer('Taken back', { revoked: z.string() }),
      handle: async ({ param, caller }) => {
        await runtime.revokeTool(param('session'), param('tool'), deciderOf(caller, 'http'))
        return { revoked: param('tool') }
      },
    }),
  ]
}

function toDecision(body: z.output<typeof decisionBody>): Omit<PersonsDecision, 'by'> {
  const { digest: shown } = body
  if (body.decision === 'approve') return { decision: { type: 'approve', scope: body.scope }, digest: shown }
  const reason = body.reason?.trim()
  return { decision: { type: 'deny', ...(reason ? { reason } : {}) }, digest: shown }
}

const waiting = z.object({
  kind: z.enum(['policy', 'declaration', 'prompt', 'tool']),
  name: z.string().describe('By which it is accepted.'),
  digest: z.string().describe('SHA-256 of what would count: an acceptance repeats it.'),
  words: z.array(z.string()).describe('What it lets through, in sentences.'),
  difference: z.string().describe('From what was accepted, as a unified diff.'),
})

/** What waits until its owner accepts it. No tool reaches these endpoints. */
export function acceptanceRoutes({ acceptance }: Runtime): readonly Route[] {
  return [
    route('GET /api/acceptance', {
      scope: 'admin',
      tag: 'tools',
      summary: 'Lists the changes that do not count until a person accepts them',
      description:
        'Changes of the policy, of files that declare tools and of tools of MCP servers that let through more than was accepted, and that were made by other means than Foreword; and instructions that a tool call changed.',
      answers: () => jsonAnswer('What waits', { waiting: z.array(waiting) }),
      handle: async () => ({ waiting: await acceptance.waiting() }),
    }),
    route('POST /api/acceptance', {
      scope: 'admin',
      tag: 'tools',
      summary: 'Accepts a change that waits',
      description: 'For a person who saw the difference. Refused with `decided` where something else waits now.',
      body: z.strictObject({
        name: z.string().min(1).max(1000),
        digest: digestSchema.describe('The digest of the change that was shown.'),
      }),
      answers: () => jsonAnswer('Accepted', { accepted: z.string() }),
      async handle({ body, caller }) {
        await acceptance.accept(body.name, body.digest, caller.by)
        return { accepted: body.name }
      },
    }),
  ]
}
