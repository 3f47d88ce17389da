import { withTimeout } from '../platform.ts'
import type { CallRecord } from '../session.ts'
import type { Runtime } from './runtime/runtime.ts'

/** What a call cost by what its provider reported, US dollars; `undefined` where that or the price is not known. */
export type CallCost = (call: Pick<CallRecord, 'model' | 'outcome' | 'time'>) => number | undefined

/** How long the server of a model may take to answer what it is, ms. */
const PRICE_MS = 2_000

/** Asks for the prices of the models of these calls, once for each. A model of which enough is known is not asked about at its provider. */
export async function callCosts(
  runtime: Pick<Runtime, 'store' | 'model'>,
  calls: readonly Pick<CallRecord, 'model' | 'outcome' | 'time'>[],
): Promise<CallCost> {
  const [{ callCost, priceOfModel }, { usedTokens }] = await Promise.all([
    import('../context.ts'),
    import('../session.ts'),
  ])
  const models = new Set(calls.filter(({ outcome }) => usedTokens(outcome)).map(({ model }) => model))
  const priceOf = async (id: string) =>
    priceOfModel((await withTimeout(runtime.store.clock, runtime.model(id), PRICE_MS)).facts)
  const priced = [...models].map(async (id) => [id, await priceOf(id).catch(() => undefined)] as const)
  const prices = new Map(await Promise.all(priced))
  return ({ model, outcome, time }) => {
    const usage = usedTokens(outcome)
    return usage && callCost(usage, prices.get(model), time)
  }
}

/** What calls cost together, US dollars; `undefined` where one of them is not known. */
export async function costOfCalls(
  runtime: Pick<Runtime, 'store' | 'model'>,
  calls: readonly string[],
): Promise<number | undefined> {
  if (calls.length === 0) return undefined
  const records = (await Promise.all(calls.map((id) => runtime.store.call(id)))).filter((call) => call !== undefined)
  if (records.length < calls.length) return undefined
  const costOf = await callCosts(runtime, records)
  let sum = 0
  for (const call of records) {
    const cost = costOf(call)
    // A call that was made again after a refusal was never answered.
    if (cost === undefined && call.outcome?.error === undefined) return undefined
    sum += cost ?? 0
  }
  return sum
}
