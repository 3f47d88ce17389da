import { countedText, type CallFigures, exactMoneyText, inNanos, numberText } from '../context.ts'
import type { CallPrice } from './runtime/costs.ts'
import type { Preview } from './runtime/calls.ts'
import type { CallRecord } from '../session.ts'
import type { Runtime } from './runtime/runtime.ts'

/** The total usage of the calls of a session, as the providers reported it, in tokens and US dollars. */
export interface SessionTotals {
  readonly calls: number
  readonly prompt: number
  /** Absent where no provider reported it. */
  readonly cached?: number
  readonly output: number
  readonly silent: number
  /** Absent where a price is unknown or a provider reported no usage. */
  readonly money?: number
}

/** How many calls are added up, the newest first. */
export const MOST_COUNTED_CALLS = 1_000

/** One call: what its provider reported, and what that costs, US dollars. */
interface CountedCall {
  readonly usage?: {
    readonly promptTokens?: number | undefined
    readonly cachedTokens?: number | undefined
    readonly outputTokens?: number | undefined
  }
  readonly paid?: number
}

export function sumCosts(calls: readonly CountedCall[]): SessionTotals {
  let cost: SessionTotals = { calls: 0, prompt: 0, output: 0, silent: 0, money: 0 }
  for (const { usage, paid } of calls) {
    const { money, cached = usage?.cachedTokens === undefined ? undefined : 0, ...sums } = cost
    cost = {
      calls: sums.calls + 1,
      prompt: sums.prompt + (usage?.promptTokens ?? 0),
      output: sums.output + (usage?.outputTokens ?? 0),
      silent: sums.silent + (usage?.promptTokens === undefined || usage.outputTokens === undefined ? 1 : 0),
      ...(cached === undefined ? {} : { cached: cached + (usage?.cachedTokens ?? 0) }),
      ...(money === undefined || paid === undefined ? {} : { money: inNanos(money + paid) }),
    }
  }
  return cost
}

/** The cost as text, one figure per line. */
export function costText({ calls, prompt, cached, output, silent, money }: SessionTotals): string {
  return [
    `${calls === MOST_COUNTED_CALLS ? 'The newest ' : ''}${countedText(calls, 'call')}: ${numberText(prompt)} prompt tokens (${cached === undefined ? 'their cache was not reported' : `${numberText(cached)} of them cached`}), ${numberText(output)} output tokens, as reported.`,
    ...(silent === 0 ? [] : [`The provider did not report the usage of ${silent} of them.`]),
    money === undefined
      ? `The cost is unknown${silent === 0 ? ', because a model has no price.' : '.'}`
      : exactMoneyText(money),
  ].join('\n')
}

/** Whose figure the cost of a call is, in brackets; nothing where it follows from the price list. */
export function costSource({ reported, listed }: Pick<CallPrice, 'reported' | 'listed'>): string {
  if (!reported) return ''
  return ` (reported by the provider${listed === undefined ? '' : `; ${exactMoneyText(listed)} by the price list`})`
}

/** What the next call may cost, from its prompt alone to its longest answer. `undefined` where nothing is known of it. */
export function forecastSentence({
  manifest,
  figures,
  cost,
}: Pick<Preview, 'manifest' | 'figures' | 'cost'>): string | undefined {
  const { forecast, budget } = manifest
  if (forecast === undefined) return undefined
  const parts = figuresWords(figures)
  const { between } = forecast
  const isRange = between && between[0] < between[1]
  const range = isRange
    ? ` Nine prompts in ten have ${numberText(between[0])} to ${numberText(between[1])} tokens.`
    : ''
  if (cost === undefined) return `The next call: ${parts}; the model has no price.${range}`
  const { least, most } = cost
  if (most === 0) return `The next call is free: ${parts}.${range}`
  return `The next call costs ${exactMoneyText(least)} to ${exactMoneyText(most)}: ${parts}, an answer of up to ${numberText(budget.reserve)}.${range}`
}

/** `2,531 tokens (2,480 from the cache, 51 new)`, or `51 tokens, all new`; a part that was not reported, or cannot be expected, is named so. */
function figuresWords({ basis, total, cached, written, fresh = 0 }: CallFigures): string {
  const whole = `${numberText(total)} tokens`
  if (cached === undefined) return `${whole} (${basis === 'reported' ? 'cache not reported' : 'cache not known'})`
  if (fresh === total) return `${whole}, all new`
  const parts = [
    ...(cached > 0 ? [`${numberText(cached)} from the cache`] : []),
    ...(written ? [`${numberText(written)} written to it`] : []),
    `${numberText(fresh)} new`,
  ]
  return `${whole} (${parts.join(', ')})`
}

/** What a call cost by what its provider reported, US dollars; `undefined` where that or the price is not known. */
export type CallCost = (call: Pick<CallRecord, 'model' | 'outcome' | 'time'>) => number | undefined

/** Asks for the prices of the models of these calls, once for each. A model of which enough is known is not asked about at its provider. */
export async function callCosts(
  { priceOf }: Pick<Runtime, 'priceOf'>,
  calls: readonly Pick<CallRecord, 'model' | 'outcome' | 'time'>[],
): Promise<CallCost> {
  const [{ callCost }, { usedTokens }] = await Promise.all([import('../context.ts'), import('../session.ts')])
  const models = new Set(calls.filter(({ outcome }) => outcome).map(({ model }) => model))
  const priced = [...models].map(async (id) => [id, await priceOf(id)] as const)
  const prices = new Map(await Promise.all(priced))
  return ({ model, outcome, time }) => {
    // Without a report a call of a free model still cost nothing, as in every sum.
    const cost = outcome && callCost(usedTokens(outcome) ?? {}, prices.get(model), time)
    return cost === undefined ? undefined : inNanos(cost)
  }
}

/** What calls cost together, US dollars; `undefined` where one of them is not known. */
export async function costOfCalls(
  runtime: Pick<Runtime, 'store' | 'priceOf'>,
  calls: readonly string[],
): Promise<number | undefined> {
  const records = (await Promise.all(calls.map((id) => runtime.store.call(id)))).filter((call) => call !== undefined)
  if (records.length < calls.length) return undefined
  const costOf = await callCosts(runtime, records)
  const { costTogether } = await import('../session.ts')
  return costTogether(records.map((record) => ({ record, cost: costOf(record) })))
}
