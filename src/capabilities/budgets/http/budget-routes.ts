import { z } from 'zod'
import { type Route, jsonAnswer, route, type Runtime } from '../../../capability.ts'

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

export function budgetRoutes(runtime: Pick<Runtime, 'budgets'>): readonly Route[] {
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
