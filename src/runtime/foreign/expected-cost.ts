import type { ModelFacts } from '../../model.ts'
import type { BudgetAmount, Usage } from '../../session.ts'
import { NANOS_PER_DOLLAR } from '../budgets/call-bound.ts'

/** What the last call of the same kind in a conversation used, and when, ms since 1970. */
export interface ExpectedUsage extends Usage {
  readonly at: number
}

interface Expected {
  /** Of the prompt, by our counter. */
  readonly used: number
  readonly usual?: ExpectedUsage
  /** The most that the answer may have, as the call says. */
  readonly most?: number
  /** ms since 1970. */
  readonly now: number
}

/** An answer of which nothing is known, tokens. */
const FIRST_ANSWER = 2_000
/** An answer may be so many times as long as the last one before more is held for it. */
const LONGER = 2
const LEAST_ANSWER = 500
/** A provider may count so much more than our counter. */
const COUNTER_ERROR = 1.2
/** Caches of providers live at least so long, ms. */
const CACHE_MS = 300_000

/** What a call is likely to cost: what was sent a moment ago comes from the cache, and the answer is about as long as the last. */
export function expectedCost(
  { used, usual, most, now }: Expected,
  { price, maxOutput }: Pick<ModelFacts, 'price' | 'maxOutput'>,
): { readonly cost: BudgetAmount; readonly outputTokens: number } {
  const last = usual?.outputTokens
  const wanted = last === undefined ? FIRST_ANSWER : Math.max(LEAST_ANSWER, last * LONGER)
  const outputTokens = Math.min(wanted, most ?? maxOutput)
  const prompt = Math.ceil(used * COUNTER_ERROR)
  const tokens = prompt + outputTokens
  if (!price) return { cost: { nanos: 0, tokens }, outputTokens }
  const isWarm = usual !== undefined && now - usual.at < CACHE_MS && price.cachedInput !== undefined
  const cached =
    isWarm && (usual.cachedTokens ?? usual.cacheWrittenTokens) ? Math.min(prompt, usual.promptTokens ?? 0) : 0
  const fresh = Math.max(price.input ?? 0, price.cacheWrite ?? 0)
  const perMillion =
    cached * (price.cachedInput ?? fresh) + (prompt - cached) * fresh + outputTokens * (price.output ?? 0)
  return { cost: { nanos: Math.ceil((perMillion * NANOS_PER_DOLLAR) / 1_000_000), tokens }, outputTokens }
}
