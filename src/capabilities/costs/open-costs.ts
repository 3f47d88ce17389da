import { capabilitiesOf, type CapabilityHost, type CostService, type Runtime } from '../../capability.ts'
import { costReport, sessionCosts } from './cost-report.ts'
import { usageReport, type UsageSources } from './usage-report.ts'

/** What the calls of a home used and cost, by the prices that are known now. */
export function openCosts(host: Pick<CapabilityHost, 'store' | 'runtime'>): CostService {
  const sources: UsageSources = {
    store: host.store,
    priceOf: (model) => host.runtime.priceOf(model),
    heldCalls: () => heldCalls(host.runtime),
  }
  return {
    usage: (options) => usageReport(sources, options),
    costs: (options) => costReport({ ...sources, capabilities: capabilitiesOf(host.runtime) }, options),
    sessionCosts: (ids) => sessionCosts(sources, ids),
  }
}

/** Ids of the recorded calls to models that wait for a budget: they were not sent. After a restart such a call is recorded again. */
async function heldCalls(runtime: Pick<Runtime, 'store' | 'approvals'>): Promise<ReadonlySet<string>> {
  const held = (await runtime.approvals()).filter((waiting) => waiting.held && waiting.program === undefined)
  const found = await Promise.all(
    held.map(async ({ session, turn }) => {
      const calls = await runtime.store.calls(session, { last: NEWEST_CALLS })
      const newest = calls.findLast((call) => call.turn === turn && call.kind === undefined)
      return newest?.outcome ? undefined : newest?.id
    }),
  )
  return new Set(found.flatMap((id) => id ?? []))
}

/** Enough to have the newest call of a turn among those for notes. */
const NEWEST_CALLS = 8
