import type { AnyCapability, Runtime } from '../../capability.ts'
import { costReport, sessionCosts } from './cost-report.ts'
import { callPrice } from '../../capability.ts'
import { usageReport } from './usage-report.ts'

interface UsageSources extends Omit<Parameters<typeof costReport>[0], 'capabilities'> {
  readonly capabilities: { readonly capabilities: readonly AnyCapability[] }
}

/** What calls used and cost, by the prices that are known now. */
export function createUsageService({
  capabilities,
  ...sums
}: UsageSources): Pick<Runtime, 'usage' | 'costs' | 'sessionCosts' | 'callPrice'> {
  return {
    usage: (options) => usageReport(sums, options),
    costs: (options) => costReport({ ...sums, capabilities: capabilities.capabilities }, options),
    sessionCosts: (ids) => sessionCosts(sums, ids),
    callPrice: async (call) => callPrice(call, await sums.priceOf(call.model)),
  }
}
