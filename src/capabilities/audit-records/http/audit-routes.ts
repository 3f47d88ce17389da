import { z } from 'zod'
import { type Route, jsonAnswer, route, type Runtime } from '../../../capability.ts'
import { defined } from '../../../platform.ts'
import { errorBody, inUtc, limitSchema, timeSchema, toFailure } from '../../../server.ts'
import { auditLines, type AuditOptions, parseChainPosition } from '../../../session.ts'

const filterQuery = z.strictObject({
  session: z.string().min(1).optional(),
  turn: z.string().min(1).optional(),
  tool: z.string().min(1).optional(),
  decision: z.enum(['allowed', 'refused', 'asked', 'approved', 'denied']).optional(),
  since: timeSchema.describe('At this time or later.'),
  until: timeSchema.describe('Before this time.'),
})

const auditQuery = filterQuery.extend({
  after: z.coerce.number().int().min(0).optional().describe('Number of the last known record.'),
  before: z.coerce.number().int().min(1).optional().describe('Number of the first known record.'),
  limit: limitSchema(200, 1000),
  last: z.coerce
    .number()
    .int()
    .min(1)
    .max(1000)
    .optional()
    .describe('The newest records, this many, instead of the oldest.'),
})

const expectation = z
  .string()
  .transform((text, { addIssue }) => {
    const position = parseChainPosition(text)
    if (position) return position
    addIssue({ code: 'custom', message: 'must be the number and the hash of a record, such as 12:HASH' })
    return z.NEVER
  })
  .optional()
  .describe('A record that has to be in the chain, as NUMBER:HASH.')

const auditRecord = z.looseObject({
  number: z.number(),
  time: z.string(),
  kind: z.string(),
  previous: z.string(),
  hash: z.string(),
})

/** The audit: decisions and calls, and the proof that nobody changed their records. */
export function auditRoutes(runtime: Runtime): readonly Route[] {
  const { store } = runtime
  return [
    route('GET /api/audit', {
      scope: 'read',
      summary: 'Lists records of decisions and calls, oldest first',
      description:
        'A record has to match every given filter. `after` continues after a page; `last` gives the newest records, with `before` ' +
        'those before a page.',
      query: auditQuery,
      answers: () => jsonAnswer('A page of records', { records: z.array(auditRecord) }),
      handle: async ({ query: { limit, last, after, before, ...filter } }) => {
        const most = last === undefined ? { limit } : { last }
        return { records: await store.audit({ ...toFilter(filter), ...defined({ after, before }), ...most }) }
      },
    }),
    route('GET /api/audit/export', {
      scope: 'read',
      summary: 'Exports complete records as JSON Lines, oldest first',
      description: 'With every filter of the list. Each record has the hash of the one before it.',
      query: filterQuery,
      answers: { 200: { description: 'The records', media: 'application/jsonl' } },
      handle: ({ query, stream }) =>
        stream({
          async run(sink) {
            sink.header('content-type', 'application/jsonl; charset=utf-8')
            sink.header('content-disposition', 'attachment; filename="foreword-audit.jsonl"')
            sink.begin()
            for await (const line of auditLines(store, toFilter(query))) {
              if (sink.signal.aborted) return
              await sink.write(`${line}\n`)
            }
          },
          lastWords: (error) => `${JSON.stringify(errorBody(toFailure(error)))}\n`,
          isAnswer: true,
        }),
    }),
    route('GET /api/audit/verify', {
      scope: 'read',
      summary: 'Verifies the whole chain against its checkpoints and names the first record that was changed',
      query: z.strictObject({ expect: expectation }),
      answers: () =>
        jsonAnswer(
          '`whole` with the number of records, or `broken` with the number of the first broken record and the reason; the newest ' +
            'record as `head`, and what is known from `checkpoints`. With `expect` that record has to be in the chain, too.',
          z.looseObject({
            type: z.enum(['whole', 'broken']),
            head: z.object({ number: z.number(), hash: z.string() }).optional(),
            checkpoints: z.looseObject({ targets: z.array(z.looseObject({ target: z.string() })) }),
          }),
        ),
      handle: ({ query: { expect } }) => runtime.verifyAudit({ expect }),
    }),
    route('GET /api/audit/key', {
      scope: 'read',
      summary: 'The public key that the checkpoints of the audit are signed with',
      answers: () =>
        jsonAnswer('The id of the key, and the key as SPKI in PEM. Both are absent where no checkpoints are taken.', {
          id: z.string().optional(),
          publicKey: z.string().optional(),
        }),
      handle: async () => {
        const { id, publicKey } = runtime.auditKey() ?? {}
        return defined({ id, publicKey })
      },
    }),
  ]
}

function toFilter({ since, until, ...exact }: z.output<typeof filterQuery>): AuditOptions {
  return { ...defined({ ...exact, since: inUtc(since), until: inUtc(until) }) }
}
