import type { CallRecord } from '../session.ts'
import type { Runtime } from './runtime/runtime.ts'

/** What a call cost by what its provider reported, US dollars; `undefined` where that or the price is not known. */
export type CallCost = (call: Pick<CallRecord, 'model' | 'outcome'>) => number | undefined

/** Asks for the prices once. */
export async function callCosts(runtime: Pick<Runtime, 'models'>): Promise<CallCost> {
  const [{ callCost }, { usedTokens }] = await Promise.all([import('../model.ts'), import('../session.ts')])
  const prices = new Map((await runtime.models()).map(({ id, facts }) => [id, facts?.price]))
  return ({ model, outcome }) => {
    const price = prices.get(model)
    const usage = usedTokens(outcome)
    return usage && price ? callCost(usage, price) : undefined
  }
}

/** What calls cost together, US dollars; `undefined` where one of them is not known. */
export async function costOfCalls(
  { store, models }: Pick<Runtime, 'store' | 'models'>,
  calls: readonly string[],
): Promise<number | undefined> {
  if (calls.length === 0) return undefined
  const costOf = await callCosts({ models })
  let sum = 0
  for (const id of calls) {
    const call = await store.call(id)
    const cost = call && costOf(call)
    // A call that was made again after a refusal was never answered.
    if (cost === undefined && call?.outcome?.error === undefined) return undefined
    sum += cost ?? 0
  }
  return sum
}
