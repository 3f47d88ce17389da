import { z } from 'zod'
import { type Route, route, type Runtime } from '../../capability.ts'
import { type AuditOptions } from '../../session.ts'
import { json } from '../answer.ts'
import { limit } from '../schema.ts'

const auditQuery = z.strictObject({
  session: z.string().min(1).optional(),
  turn: z.string().min(1).optional(),
  tool: z.string().min(1).optional(),
  decision: z.enum(['allowed', 'refused', 'asked', 'approved', 'denied']).optional(),
  since: z.iso.datetime({ offset: true }).optional().describe('At this time or later.'),
  after: z.coerce.number().int().min(0).optional().describe('Number of the last record that is known.'),
  limit: limit(200, 1000),
  last: z.coerce.number().int().min(1).max(1000).optional().describe('The newest so many, instead of the oldest.'),
})

const auditRecord = z.looseObject({
  number: z.number(),
  time: z.string(),
  kind: z.string(),
  previous: z.string(),
  hash: z.string(),
})

/** What may run was decided, what ran, and the proof that nobody changed the account of it. */
export function auditRoutes(runtime: Runtime): readonly Route[] {
  return [
    route({
      method: 'GET',
      path: '/api/audit',
      tag: 'audit',
      summary: 'Lists records of decisions and calls, oldest first',
      description:
        'What is given must all hold. With `after` it goes on behind a page; with `last` it gives the newest.',
      query: auditQuery,
      answers: {
        200: { description: 'A page of records', schema: z.object({ records: z.array(auditRecord) }) },
      },
      handle: async ({ query }) => json({ records: await runtime.store.audit(optionsOf(query)) }),
    }),
    route({
      method: 'GET',
      path: '/api/audit/verify',
      tag: 'audit',
      summary: 'Examines the whole chain and names the first record that is not as it was written',
      answers: {
        200: {
          description:
            '`whole` with the number of records, or `broken` with the number of the first broken one and why',
          schema: z.looseObject({ type: z.enum(['whole', 'broken']) }),
        },
      },
      handle: async () => json(await runtime.verifyAudit()),
    }),
  ]
}

/** Times are stored in UTC, to the millisecond, and compared as texts. */
function optionsOf({ since, last, limit: most, ...query }: z.output<typeof auditQuery>): AuditOptions {
  const given = Object.fromEntries(Object.entries(query).filter(([, value]) => value !== undefined))
  return {
    ...given,
    ...(since === undefined ? {} : { since: new Date(since).toISOString() }),
    ...(last === undefined ? { limit: most } : { last }),
  }
}
