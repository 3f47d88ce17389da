import { capability } from '../../capability.ts'

/** What is left of the configured budgets, for people. The runtime itself holds the money of each call: no call passes a budget without it. */
export const budgets = capability({
  name: 'budgets',
  summary: 'what is spent, held and left of each budget',
  commands: { budgets: async () => (await import('./cli/budgets.ts')).budgetsCommand },
  http: { routes: async ({ runtime }) => (await import('./http/budget-routes.ts')).budgetRoutes(runtime) },
})
