import { z } from 'zod'
import type { SubjectService } from '../subject-service.ts'
import { decidedBySchema, digestSchema, json } from '../../../server.ts'
import { deciderOf, type Route, route } from '../../../capability.ts'

export function proposalRoutes({ proposals }: Pick<SubjectService, 'proposals'>): readonly Route[] {
  const each = '/api/proposals/:proposal'
  const tag = 'proposals'
  return [
    route({
      method: 'GET',
      path: '/api/proposals',
      scope: 'read',
      tag,
      summary: 'Lists proposals, oldest first',
      query: z.strictObject({ state: proposalStateSchema.optional().describe('Only proposals in this state.') }),
      answers: { 200: { description: 'Proposals', schema: z.object({ proposals: z.array(proposalSchema) }) } },
      handle: async ({ query: { state } }) =>
        json({ proposals: await proposals.list(state === undefined ? {} : { state }) }),
    }),
    route({
      method: 'GET',
      path: each,
      scope: 'read',
      tag,
      summary: 'Returns a proposal',
      answers: {
        200: { description: 'The proposal, with its diff against the file as it is now', schema: proposalSchema },
      },
      handle: async ({ param }) => json(await proposals.get(param('proposal'))),
    }),
    route({
      method: 'POST',
      path: `${each}/decision`,
      scope: 'approve',
      tag,
      summary: 'Confirms a proposal and writes it into its file, or declines it',
      description: 'The decision applies to exactly what was shown. A proposal is decided once.',
      body: z.strictObject({
        decision: z.enum(['confirm', 'decline']),
        digest: digestSchema.describe('The digest of what was shown.'),
        reason: z.string().max(2000).optional().describe('Why it is declined.'),
        by: decidedBySchema,
      }),
      answers: { 200: { description: 'It is decided', schema: proposalSchema } },
      handle: async ({ param, body, caller }) => {
        const { decision: type, digest: shown } = body
        const reason = body.reason?.trim()
        const decision = { type, digest: shown, by: deciderOf(caller, body.by), ...(reason ? { reason } : {}) }
        return json(await proposals.decide(param('proposal'), decision))
      },
    }),
    route({
      method: 'POST',
      path: `${each}/undo`,
      scope: 'approve',
      tag,
      summary: 'Undoes a confirmed proposal',
      description:
        'Edits that people made since stay; where they cannot be separated from the addition, nothing changes.',
      body: z.strictObject({ by: decidedBySchema }),
      answers: { 200: { description: 'It is undone', schema: proposalSchema } },
      handle: async ({ param, body, caller }) =>
        json(await proposals.undo(param('proposal'), deciderOf(caller, body.by))),
    }),
  ]
}

const proposalStateSchema = z.enum(['waiting', 'confirmed', 'declined', 'undone'])

const proposalSchema = z.looseObject({
  id: z.string(),
  time: z.string(),
  file: z.discriminatedUnion('type', [
    z.object({ type: z.literal('notes'), subject: z.string() }),
    z.object({ type: z.literal('taste'), name: z.string() }),
  ]),
  content: z.string().describe('What is added at the end of the file.'),
  category: z.enum(['appearance', 'process', 'value']).optional(),
  digest: z.string(),
  diff: z
    .string()
    .describe('A unified diff: while it waits, of the change it would make; afterwards, of the change that was made.'),
  by: z.looseObject({ tool: z.string() }).describe('Which session, turn and tool asked for it.'),
  state: z.looseObject({ type: proposalStateSchema }),
})
