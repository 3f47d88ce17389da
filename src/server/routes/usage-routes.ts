import { z } from 'zod'
import { type Route, route, type Runtime } from '../../capability.ts'
import { defined } from '../../platform.ts'
import { json } from '../answer.ts'
import { inUtc, limitSchema, timeSchema } from '../schema.ts'

const usageQuery = z.strictObject({
  by: z.enum(['day', 'model', 'layer', 'tool', 'session']).default('day').describe('What the rows are about.'),
  from: timeSchema.describe('Calls at this time or later. Absent: from the first one on.'),
  to: timeSchema.describe('Calls before this time. Absent: up to the newest one.'),
  zone: z.string().min(1).max(100).default('UTC').describe('The time zone of the days, such as `Europe/Berlin`.'),
  limit: limitSchema(100, 1000),
})

const tokens = z.number().int()

const sums = z.looseObject({
  calls: z.number().describe('Calls that were sent.'),
  waiting: z.number().optional().describe('Of the total: calls beside them that wait for a budget.'),
  unreported: z.number().describe('Calls whose provider did not report the prompt or the answer.'),
  unpriced: z.number().describe('Calls of models whose price is not known.'),
  prompt: tokens,
  fresh: tokens,
  cached: tokens.describe('Read from a cache.'),
  written: tokens.describe('Written to a cache.'),
  output: tokens,
  money: z.number().optional().describe('US dollars of the other calls, by the prices that are known now.'),
})

export function usageRoutes(runtime: Pick<Runtime, 'usage'>): readonly Route[] {
  return [
    route({
      method: 'GET',
      path: '/api/usage',
      scope: 'read',
      tag: 'calls',
      summary: 'Adds up what the calls of a time used and cost, by day, model, layer, tool or session',
      description:
        'Calls of deleted sessions are not in it. By layer: prompt tokens by the counters of the accounts. By tool: tokens of ' +
        'its definitions in prompts, and of its results, each counted once.',
      query: usageQuery,
      answers: {
        200: {
          description: 'The total and the rows; where there are more of them, what those add up to as `rest`',
          schema: z.looseObject({
            by: usageQuery.shape.by,
            zone: z.string(),
            total: sums,
            rows: z.array(z.looseObject({ key: z.string().nullable() })),
          }),
        },
      },
      handle: async ({ query: { from, to, ...query } }) =>
        json(await runtime.usage({ ...query, ...defined({ from: inUtc(from), before: inUtc(to) }) })),
    }),
  ]
}
