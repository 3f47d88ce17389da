import { z } from 'zod'
import { type Route, route, type Runtime } from '../../capability.ts'
import { json } from '../answer.ts'
import { digestSchema } from '../schema.ts'

const waiting = z.object({
  kind: z.enum(['policy', 'declaration', 'prompt', 'tool']),
  name: z.string().describe('By which it is accepted.'),
  digest: z.string().describe('SHA-256 of what would count: an acceptance repeats it.'),
  words: z.array(z.string()).describe('What it lets through, in sentences.'),
  difference: z.string().describe('From what was accepted, as a unified diff.'),
})

/** What waits until its owner accepts it. No tool reaches these endpoints. */
export function acceptanceRoutes({ acceptance }: Runtime): readonly Route[] {
  const path = '/api/acceptance'
  const common = { path, scope: 'admin', tag: 'tools' } as const
  return [
    route({
      ...common,
      method: 'GET',
      summary: 'Lists the changes that do not count until a person accepts them',
      description:
        'Changes of the policy, of files that declare tools and of tools of MCP servers that let through more than was accepted, and that were made by other means than Foreword; and instructions that a tool call changed.',
      answers: { 200: { description: 'What waits', schema: z.object({ waiting: z.array(waiting) }) } },
      handle: async () => json({ waiting: await acceptance.waiting() }),
    }),
    route({
      ...common,
      method: 'POST',
      summary: 'Accepts a change that waits',
      description: 'For a person who saw the difference. Refused with `decided` where something else waits now.',
      body: z.strictObject({
        name: z.string().min(1).max(1000),
        digest: digestSchema.describe('The digest of the change that was shown.'),
      }),
      answers: { 200: { description: 'Accepted', schema: z.object({ accepted: z.string() }) } },
      async handle({ body, caller }) {
        await acceptance.accept(body.name, body.digest, caller.by)
        return json({ accepted: body.name })
      },
    }),
  ]
}
