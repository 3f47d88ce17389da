import { z } from 'zod'
import { type PersonsDecision, type Route, route, type Runtime } from '../../capability.ts'
import { json } from '../answer.ts'
import { decidedBy, digest, waitingApproval } from '../schema.ts'

const common = {
  digest: digest.describe('The digest of what was shown: the decision holds for exactly that.'),
  by: decidedBy,
}

const decisionBody = z.discriminatedUnion('decision', [
  z.strictObject({
    decision: z.literal('approve'),
    scope: z
      .enum(['once', 'session'])
      .default('once')
      .describe('`session`: the very same call needs no second question in this session.'),
    ...common,
  }),
  z.strictObject({
    decision: z.literal('deny'),
    reason: z.string().max(2000).optional().describe('The model reads it.'),
    ...common,
  }),
])

/** Calls that wait for a person. Only a person comes through here: no tool leads to this door. */
export function approvalRoutes(runtime: Runtime): readonly Route[] {
  return [
    route({
      method: 'GET',
      path: '/api/approvals',
      tag: 'approvals',
      summary: 'Lists the calls that wait for a person, oldest first',
      answers: {
        200: { description: 'What waits', schema: z.object({ approvals: z.array(waitingApproval) }) },
      },
      handle: async () => json({ approvals: await runtime.approvals() }),
    }),
    route({
      method: 'POST',
      path: '/api/approvals/:approval',
      tag: 'approvals',
      summary: 'Approves or denies a call',
      description: 'The decision is on disk when the answer comes; the turn goes on by itself.',
      body: decisionBody,
      answers: {
        200: { description: 'It is decided', schema: z.object({ approval: z.string(), decision: z.string() }) },
      },
      handle: async ({ param, body }) => {
        const approval = param('approval')
        await runtime.decide(approval, decisionOf(body))
        return json({ approval, decision: body.decision })
      },
    }),
  ]
}

function decisionOf(body: z.output<typeof decisionBody>): PersonsDecision {
  const { digest: shown, by } = body
  if (body.decision === 'approve') return { decision: { type: 'approve', scope: body.scope }, digest: shown, by }
  const reason = body.reason?.trim()
  return { decision: { type: 'deny', ...(reason ? { reason } : {}) }, digest: shown, by }
}
