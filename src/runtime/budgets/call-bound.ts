import { callCost, type Price, type ReportedTokens } from '../../context.ts'
import type { BudgetAmount } from '../../session.ts'

interface CallSize {
  /** By our counter, as the account has it. */
  readonly used: number
  /** What the provider reports for one of our tokens. */
  readonly ratio: number
  readonly window: number
  readonly maxOutputTokens: number
}

/** A provider may count so much more than our counter does, and this much for its own frame, before a prompt is larger than what is held. */
const COUNTER_ERROR = 1.5
const FRAME_TOKENS = 256

/** The most that a call can cost: nothing comes from the cache, and the answer is as long as it may be. */
export function dearestCost(
  { used, ratio, window, maxOutputTokens }: CallSize,
  price: Price | undefined,
): BudgetAmount {
  const counted = Math.ceil(used * Math.max(1, ratio) * COUNTER_ERROR) + FRAME_TOKENS
  const prompt = Math.min(counted, Math.max(window, used))
  const tokens = prompt + maxOutputTokens
  if (!price) return { nanos: 0, tokens }
  const tiers = tiersUpTo(prompt, price)
  const dearestOf = (costs: readonly (number | undefined)[]) => Math.max(...costs.map((cost) => cost ?? 0))
  const input = dearestOf(
    tiers.flatMap((tier) => [tier.input, tier.cachedInput, tier.cacheWrite, tier.cacheWriteLonger]),
  )
  const output = dearestOf(tiers.map((tier) => tier.output))
  // A price is in US dollars for a million tokens, so one token costs so many times a thousand nano-dollars.
  return { nanos: Math.ceil((prompt * input + maxOutputTokens * output) * 1000), tokens }
}

function tiersUpTo(prompt: number, price: Price): readonly Price[] {
  return price.above && prompt > price.above.tokens ? [price, ...tiersUpTo(prompt, price.above.price)] : [price]
}

/** What a call has cost by what its provider reported; `undefined` where that does not say enough. */
export function reportedCost(
  usage: Partial<ReportedTokens> | undefined,
  price: Price | undefined,
  time?: string,
): BudgetAmount | undefined {
  if (usage?.promptTokens === undefined || usage.outputTokens === undefined) return undefined
  const tokens = usage.promptTokens + usage.outputTokens
  return { nanos: Math.round((callCost(usage, price, time) ?? 0) * NANOS_PER_DOLLAR), tokens }
}

export const NANOS_PER_DOLLAR = 1_000_000_000
