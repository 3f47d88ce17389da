import type { CallPrice } from './runtime/costs.ts'
import type { Runtime } from './runtime/runtime.ts'
import {
  callCost,
  callCostParts,
  divideExactly,
  type Manifest,
  type ManifestEntry,
  type Price,
  priceAt,
} from '../context.ts'
import { type CallRecord, callSum } from '../session.ts'

type Reported = Omit<ReturnType<typeof callSum>, 'session' | 'model' | 'used' | 'parts'>

/** The price of a call, and what its caches saved: nano-dollars, rounded once. */
interface CallMoney {
  readonly nano: number
  /** By the price list. */
  readonly saved: number
  /** What the parts weigh in it: by the price list, or by their tokens where that says nothing. */
  readonly parts: ReturnType<typeof callCostParts>
  /** Of a cost that the provider reported: the one of the price list. */
  readonly listed?: number | undefined
}

const NANO = 1e9

/** `undefined` where the price is not known, or the provider did not report what it counts. */
export function moneyOfCall(sum: Reported, known: Price | undefined): CallMoney | undefined {
  const price = known && priceAt(known, sum.time)
  const money = callCost(sum, price)
  if (money === undefined) return undefined
  const nano = Math.round(money * NANO)
  const { promptTokens, outputTokens, cachedTokens = 0, cacheWrittenTokens = 0, cost } = sum
  const listed = callCost({ ...sum, cost: undefined }, price)
  const prompt = Math.max(promptTokens!, cachedTokens + cacheWrittenTokens)
  const uncached = callCost({ promptTokens: prompt, outputTokens }, price)
  return {
    nano,
    saved: Math.round(((uncached ?? 0) - (listed ?? 0)) * NANO),
    parts: callCostParts(sum, nano > 0 && !listed ? undefined : price),
    ...(cost !== undefined && { listed: listed && Math.round(listed * NANO) }),
  }
}

/**
 * What a call cost, its parts, and the share of each entry of its manifest, without a rest. `undefined` where its price or its usage
 * is not known.
 */
export async function callPrice(
  { priceOf }: Pick<Runtime, 'priceOf'>,
  call: CallRecord,
): Promise<CallPrice | undefined> {
  const sum = callSum(call)
  const money = moneyOfCall(sum, await priceOf(call.model))
  if (!money) return undefined
  const { nano, saved, parts, listed } = money
  const { entries, prompt, output } = weighEntries(call.manifest, sum, money)
  const weights = new Map(entries.map(({ entry, weight }) => [entry, weight]))
  const shares = divideExactly(nano, [...call.manifest.entries.map((entry) => weights.get(entry) ?? 0), prompt, output])
  const [cached, written, fresh, answer] = divideExactly(nano, [parts.cached, parts.written, parts.fresh, parts.output])
  const dollars = (part = 0) => part / NANO
  return {
    money: dollars(nano),
    ...(sum.cost !== undefined && { reported: true as const }),
    ...(listed !== undefined && listed !== nano && { listed: dollars(listed) }),
    saved: dollars(saved),
    parts: { cached: dollars(cached), written: dollars(written), fresh: dollars(fresh), output: dollars(answer) },
    entries: shares.slice(0, call.manifest.entries.length).map(dollars),
  }
}

/** Of a call: what each entry of its prompt weighs in its price, and the answer. */
interface CallWeights {
  readonly entries: readonly { readonly entry: ManifestEntry; readonly weight: number }[]
  /** What was reported of a prompt that has no entries. */
  readonly prompt: number
  readonly output: number
}

/** The beginning of the prompt was read from the cache, the next part written to it, the rest fresh: by the reported tokens. */
export function weighEntries(
  { entries }: Pick<Manifest, 'entries'>,
  { promptTokens = 0, cachedTokens = 0, cacheWrittenTokens = 0 }: Reported,
  { parts }: CallMoney,
): CallWeights {
  const sent = entries.filter(({ tokens }) => tokens > 0)
  const used = sent.reduce((sum, { tokens }) => sum + tokens, 0)
  const prompt = parts.cached + parts.written + parts.fresh
  if (used === 0) return { entries: [], prompt, output: parts.output }
  const reported = Math.max(1, promptTokens, cachedTokens + cacheWrittenTokens)
  const cachedEnd = (used * cachedTokens) / reported
  const writtenEnd = (used * (cachedTokens + cacheWrittenTokens)) / reported
  const zones = [
    { from: 0, to: cachedEnd, money: parts.cached },
    { from: cachedEnd, to: writtenEnd, money: parts.written },
    { from: writtenEnd, to: used, money: parts.fresh },
  ].filter(({ from, to }) => to > from)
  let start = 0
  const weighed = sent.map((entry) => {
    const end = start + entry.tokens
    const weight = zones.reduce((sum, zone) => {
      const overlap = Math.min(end, zone.to) - Math.max(start, zone.from)
      return overlap > 0 ? sum + (zone.money * overlap) / (zone.to - zone.from) : sum
    }, 0)
    start = end
    return { entry, weight }
  })
  return { entries: weighed, prompt: 0, output: parts.output }
}
