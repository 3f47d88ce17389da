import { z } from 'zod'
import { costGroups, type CostService, type Route, jsonAnswer, route } from '../../../capability.ts'
import { defined } from '../../../platform.ts'
import { costSums, download, inUtc, limitSchema, timeSchema } from '../../../server.ts'
import { costCsv } from '../cost-csv.ts'

const costQuery = z.strictObject({
  by: z
    .string()
    .min(1)
    .max(50)
    .default('day')
    .describe(`What the money is divided by: ${costGroups.join(', ')}, or what a capability adds.`),
  session: z.string().min(1).optional().describe('Only calls of this session.'),
  from: timeSchema.describe('Calls at this time or later. Absent: from the first one on.'),
  to: timeSchema.describe('Calls before this time. Absent: up to the newest one.'),
  zone: z.string().min(1).max(100).default('UTC').describe('The time zone of the days, such as `Europe/Berlin`.'),
  limit: limitSchema(100, 1000),
  format: z.enum(['json', 'csv']).default('json').describe('`csv`: a download for spreadsheets.'),
})

export function costRoutes(service: Pick<CostService, 'costs'>): readonly Route[] {
  return [
    route('GET /api/costs', {
      scope: 'read',
      tag: 'calls',
      summary: 'Divides the money of calls by day, model, layer, tool, agent, channel, token, session, turn or call',
      description:
        'By layer and tool the price of each call is divided by the tokens of its prompt: what was read from a cache ' +
        'at the price of that, the rest at its own. A `key` of null is what belongs to none, or is not known. Calls of ' +
        'deleted sessions are not in it.',
      query: costQuery,
      answers: () =>
        jsonAnswer(
          'The total and the rows; where there are more of them, what those add up to as `rest`. With `format=csv` as text/csv',
          z.looseObject({
            by: costQuery.shape.by,
            zone: z.string(),
            total: z.looseObject(costSums),
            rows: z.array(z.looseObject({ key: z.string().nullable(), ...costSums })),
          }),
        ),
      handle: async ({ query: { from, to, session, format, ...query } }) => {
        const report = await service.costs({ ...query, ...defined({ session, from: inUtc(from), before: inUtc(to) }) })
        if (format === 'json') return report
        const csv = new Blob([`${costCsv(report)}\r\n`])
        const file = { name: `costs-by-${query.by}.csv`, bytes: csv.size, content: csv.stream() }
        return download(file, 'text/csv; charset=utf-8')
      },
    }),
  ]
}

const usageQuery = costQuery.omit({ session: true, format: true }).extend({
  by: z.enum(['day', 'model', 'layer', 'tool', 'session']).default('day').describe('What the rows are about.'),
})

const tokens = z.number().int()

const sums = z.looseObject({
  calls: z.number().describe('Calls that were sent.'),
  waiting: z.number().optional().describe('Of the total: calls beside them that wait for a budget.'),
  unreported: z
    .number()
    .describe('Calls whose provider did not report the prompt or the answer: they are not in the tokens.'),
  unpriced: z.number().describe('Calls without a price or a report of their usage: they are not in the money.'),
  prompt: tokens.describe('`fresh`, `cached`, `written` and `undivided` together.'),
  fresh: tokens,
  cached: tokens.describe('Read from a cache.'),
  written: tokens.describe('Written to a cache.'),
  undivided: tokens.describe('Of prompts whose provider did not report what came from its cache.'),
  output: tokens,
  money: z.number().optional().describe('US dollars of the other calls, by the prices that are known now.'),
})

export function usageRoutes(service: Pick<CostService, 'usage'>): readonly Route[] {
  return [
    route('GET /api/usage', {
      scope: 'read',
      tag: 'calls',
      summary: 'Adds up what the calls of a time used and cost, by day, model, layer, tool or session',
      description:
        'Calls of deleted sessions are not in it. By layer: prompt tokens by the counters of the accounts. By tool: tokens of ' +
        'its definitions in prompts, and of its results, each counted once.',
      query: usageQuery,
      answers: () =>
        jsonAnswer(
          'The total and the rows; where there are more of them, what those add up to as `rest`',
          z.looseObject({
            by: usageQuery.shape.by,
            zone: z.string(),
            total: sums,
            rows: z.array(z.looseObject({ key: z.string().nullable() })),
          }),
        ),
      handle: ({ query: { from, to, ...query } }) =>
        service.usage({ ...query, ...defined({ from: inUtc(from), before: inUtc(to) }) }),
    }),
  ]
}
