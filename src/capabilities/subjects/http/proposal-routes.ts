import { z } from 'zod'
import type { SubjectService } from '../subject-service.ts'
import { decidedBy, digest, json } from '../../../server.ts'
import { type Route, route } from '../../../capability.ts'
import { proposal, proposalState } from './subject-schema.ts'

/** What models would like to write about subjects. Only a person comes through here: no tool leads to this door. */
export function proposalRoutes({ proposals }: Pick<SubjectService, 'proposals'>): readonly Route[] {
  const each = '/api/proposals/:proposal'
  const tag = 'proposals'
  return [
    route({
      method: 'GET',
      path: '/api/proposals',
      tag,
      summary: 'Lists proposals, oldest first',
      query: z.strictObject({ state: proposalState.optional().describe('Only those in this state.') }),
      answers: { 200: { description: 'Proposals', schema: z.object({ proposals: z.array(proposal) }) } },
      handle: async ({ query: { state } }) =>
        json({ proposals: await proposals.list(state === undefined ? {} : { state }) }),
    }),
    route({
      method: 'GET',
      path: each,
      tag,
      summary: 'Reads a proposal',
      answers: { 200: { description: 'The proposal, with its diff against the file as it is now', schema: proposal } },
      handle: async ({ param }) => json(await proposals.get(param('proposal'))),
    }),
    route({
      method: 'POST',
      path: `${each}/decision`,
      tag,
      summary: 'Confirms a proposal, which writes it into its file, or declines it',
      description: 'The decision holds for exactly what was shown, and a proposal is decided once.',
      body: z.strictObject({
        decision: z.enum(['confirm', 'decline']),
        digest: digest.describe('The digest of what was shown.'),
        reason: z.string().max(2000).optional().describe('Why it is declined.'),
        by: decidedBy,
      }),
      answers: { 200: { description: 'It is decided', schema: proposal } },
      handle: async ({ param, body }) => {
        const { decision: type, digest: shown, by } = body
        const reason = body.reason?.trim()
        const decision = { type, digest: shown, by, ...(reason ? { reason } : {}) }
        return json(await proposals.decide(param('proposal'), decision))
      },
    }),
    route({
      method: 'POST',
      path: `${each}/undo`,
      tag,
      summary: 'Takes a confirmed proposal back',
      description: 'What people wrote meanwhile stays; where it cannot be told apart, nothing is changed.',
      body: z.strictObject({ by: decidedBy }),
      answers: { 200: { description: 'It is undone', schema: proposal } },
      handle: async ({ param, body: { by } }) => json(await proposals.undo(param('proposal'), by)),
    }),
  ]
}
