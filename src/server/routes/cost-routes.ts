import { z } from 'zod'
import { costCsv, costGroups, type Route, route, type Runtime } from '../../capability.ts'
import { defined } from '../../platform.ts'
import { download, json } from '../answer.ts'
import { inUtc, limitSchema, timeSchema } from '../schema.ts'

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
    route({
      method: 'GET',
      path: '/api/costs',
      scope: 'read',
      tag: 'calls',
      summary: 'Divides the money of calls by day, model, layer, tool, agent, channel, token, session, turn or call',
      description:
        'By layer and tool the price of each call is divided by the tokens of its prompt: what was read from a cache ' +
        'at the price of that, the rest at its own. A `key` of null is what belongs to none, or is not known. Calls of ' +
        'deleted sessions are not in it.',
      query: costQuery,
      answers: {
        200: {
          description:
            'The total and the rows; where there are more of them, what those add up to as `rest`. With `format=csv` as text/csv',
          schema: z.looseObject({
            by: costQuery.shape.by,
            zone: z.string(),
            total: z.looseObject(costSums),
            rows: z.array(z.looseObject({ key: z.string().nullable(), ...costSums })),
          }),
        },
      },
      handle: async ({ query: { from, to, session, format, ...query } }) => {
        const report = await runtime.costs({ ...query, ...defined({ session, from: inUtc(from), before: inUtc(to) }) })
        if (format === 'json') return json(report)
        const csv = new Blob([`${costCsv(report)}\r\n`])
        const file = { name: `costs-by-${query.by}.csv`, bytes: csv.size, content: csv.stream() }
        return download(file, 'text/csv; charset=utf-8')
      },
    }),
  ]
}
