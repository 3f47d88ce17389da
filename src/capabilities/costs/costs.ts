import { capability, type CostService } from '../../capability.ts'

export const costs = capability<undefined, CostService>({
  name: 'costs',
  summary: 'what calls used and cost, added up and divided',
  commands: {
    usage: async () => (await import('./cli/costs.ts')).usageCommand,
    costs: async () => (await import('./cli/costs.ts')).costsCommand,
  },
  start: async (host) => (await import('./open-costs.ts')).openCosts(host),
  http: {
    async routes({ service }) {
      const { costRoutes, usageRoutes } = await import('./http/cost-routes.ts')
      return [...usageRoutes(service), ...costRoutes(service)]
    },
  },
})
