import { z } from 'zod'
import { type Route, route, type Runtime } from '../../capability.ts'
import { json } from '../answer.ts'

const budgetSchema = z.object({
  name: z.string().describe('For people, such as `the day of agent ada`.'),
  per: z.enum(['turn', 'session', 'day', 'month']),
  unit: z.enum(['usd', 'tokens']),
  agent: z.string().optional(),
  token: z.string().optional(),
  channel: z.string().optional(),
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
    route({
      method: 'GET',
      path: '/api/budgets',
      scope: 'read',
      tag: 'usage',
      summary: 'Lists the configured budgets: limit, spent, held and left of the present period',
      answers: { 200: { description: 'The budgets', schema: z.object({ budgets: z.array(budgetSchema) }) } },
      handle: () => json({ budgets: runtime.budgets() }),
    }),
  ]
}
