import { z } from 'zod'
import { type Route, route, type Runtime, RuntimeError } from '../../capability.ts'
import { json } from '../answer.ts'
import { digest, toolResult, toolStatus, toolTrial } from '../schema.ts'

const input = z.unknown().describe('What the tool is given, as its schema has it.')

/** Tools as their owner sees them: what may run and why, what a call would do, and running one by hand. */
export function toolRoutes(runtime: Runtime): readonly Route[] {
  return [
    route({
      method: 'GET',
      path: '/api/tools',
      tag: 'tools',
      summary: 'Lists every tool, offered or not, and why',
      answers: { 200: { description: 'Tools', schema: z.object({ tools: z.array(toolStatus) }) } },
      handle: async () => json({ tools: await runtime.tools() }),
    }),
    route({
      method: 'POST',
      path: '/api/tools/:tool/plan',
      tag: 'tools',
      summary: 'Says what a call would do, and does nothing of it',
      body: z.strictObject({ input }),
      answers: { 200: { description: 'What would run, or why nothing would', schema: toolTrial } },
      handle: async ({ param, body }) => json(await runtime.planTool(param('tool'), body.input)),
    }),
    route({
      method: 'POST',
      path: '/api/tools/:tool/run',
      tag: 'tools',
      summary: 'Runs a call that was planned before, under the same policy',
      description:
        'For a person who saw the plan: `digest` is the one of it. A call that would do something else is refused.',
      body: z.strictObject({ input, digest: digest.describe('The digest of the plan.') }),
      answers: { 200: { description: 'The result; a failure is one too, with `ok` false', schema: toolResult } },
      handle: async ({ param, body }) => json(await runtime.runTool(param('tool'), body.input, body.digest)),
    }),
    route({
      method: 'POST',
      path: '/api/tools/:tool/accept',
      tag: 'tools',
      summary: 'Accepts the changed definition of a tool, so that it is offered again',
      body: z.strictObject({ digest: digest.describe('The digest of the definition that was shown as withheld.') }),
      answers: { 200: { description: 'It is accepted', schema: z.object({ accepted: z.literal(true) }) } },
      handle: async ({ param, body }) => {
        if (!(await runtime.acceptTool(param('tool'), body.digest))) throw nothingWithheld(param('tool'))
        return json({ accepted: true })
      },
    }),
  ]
}

function nothingWithheld(tool: string): RuntimeError {
  return new RuntimeError(
    'decided',
    `No definition of ${tool} with this digest waits to be accepted: it has changed again, or was accepted already. ` +
      '`foreword tools` or GET /api/tools shows how it stands.',
    { tool },
  )
}
