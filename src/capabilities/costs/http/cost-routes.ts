import { z } from 'zod'
import { costCsv, costGroups, type Route, jsonAnswer, route, type Runtime } from '../../../capability.ts'
import { defined } from '../../../platform.ts'
import { download } from '../../../server/answer.ts'
import { inUtc, limitSchema, timeSchema } from '../../../server/schema.ts'

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

export const costSums = {
  calls: z.number().int().describe('Calls that were sent.'),
  waiting: z
    .number()
    .int()
    .optional()
    .describe('Calls beside them that wait for a budget: they were not sent, and cost nothing yet.'),
  unpriced: z.number().int().describe('Calls without a price or a report of their usage: they are not in the money.'),
  nanoDollars: z.number().int().describe('Billionths of a US dollar: the rows and `rest` add up to `total` exactly.'),
  money: z.number().optional().describe('US dollars, by the prices that are known now. Absent without a priced call.'),
  savedNanoDollars: z
    .number()
    .int()
    .optional()
    .describe('What reading from caches saved, less what writing to them cost more. Absent where calls are divided.'),
}

export function costRoutes(runtime: Pick<Runtime, 'costs'>): readonly Route[] {
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
        const report = await runtime.costs({ ...query, ...defined({ session, from: inUtc(from), before: inUtc(to) }) })
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

export function usageRoutes(runtime: Pick<Runtime, 'usage'>): readonly Route[] {
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
        runtime.usage({ ...query, ...defined({ from: inUtc(from), before: inUtc(to) }) }),
    }),
  ]
}

const budgetSchema = z.object({
  name: z.string().describe('For people, such as `the day of agent ada`.'),
  per: z.enum(['turn', 'session', 'day', 'month']),
  unit: z.enum(['usd', 'tokens']),
  agent: z.string().optional(),
  token: z.string().optional(),
  channel: z.string().optional(),
  group: z
    .string()
    .optional()
    .describe('All members of this group share it. A member does not see what is spent of it.'),
  period: z.string().optional().describe('The day or month that is counted; absent for each turn or session.'),
  limit: z.number().describe('With what a person has added for this period.'),
  warnAt: z.number(),
  spent: z.number().optional(),
  earlier: z.number().optional().describe('Of what was spent: from calls before there was this budget, by the log.'),
  held: z.number().optional().describe('For calls that run.'),
  left: z.number().optional(),
})

export function budgetRoutes(runtime: Runtime): readonly Route[] {
  return [
    route('GET /api/budgets', {
      scope: 'read',
      tag: 'usage',
      summary: 'Lists the configured budgets: limit, spent, held and left of the present period',
      answers: () => jsonAnswer('The budgets', { budgets: z.array(budgetSchema) }),
      handle: async () => ({ budgets: await runtime.budgets() }),
    }),
  ]
}
