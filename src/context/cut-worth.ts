/** What a cut that need not be made yet is weighed by. Prices in US dollars per million tokens. */
export interface CutWorth {
  /** Calls that are expected to follow before the conversation has to be cut anyway. */
  readonly calls: number
  /** Price of a token that is read from the cache. */
  readonly read: number
  /** Price of a token that is sent again: fresh, or written to the cache. */
  readonly write: number
  /** The size of a prompt above which all of a call costs more, tokens; the price of reading there; and how much a call adds, tokens. */
  readonly cliff?: { readonly tokens: number; readonly read: number; readonly growth: number } | undefined
}

/** A cut that saves more than it costs. */
export interface CutGain extends Pick<CutWorth, 'calls'> {
  /** Of the prompt without it, tokens. */
  readonly size: number
  /** The size above which a call costs more, where the cut keeps calls below it, tokens. */
  readonly below?: number
  /** How much smaller each of those calls is, tokens. */
  readonly saved: number
  /** What is sent again for it once, the new note with it, tokens. */
  readonly again: number
  /** US dollars: of all those calls, and of what is sent again. */
  readonly won: number
  readonly cost: number
}

export const LEAST_CALLS = 8
/** So many times its cost a cut has to win: what is expected may not come. */
const LEAST_GAIN = 1.5

const MILLION = 1_000_000

/**
 * Weighs a cut: expected calls × saved tokens × price of reading, against everything behind its first change at the price of
 * writing. Where the prompt would be above a cliff, all of it is read at the price there, and what is left is read at the lower
 * one until it has grown so far again. `undefined` where it does not win clearly. `beside`: what it costs besides, US dollars. Pure.
 */
export function weighCut(
  { calls, read, write, cliff }: CutWorth,
  { size, saved, again }: Pick<CutGain, 'size' | 'saved' | 'again'>,
  beside = 0,
): CutGain | undefined {
  const left = size - saved
  const dear = cliff && size > cliff.tokens ? cliff : { tokens: left, read, growth: 1 }
  const below = Math.max(0, Math.min(calls, (dear.tokens - left) / dear.growth))
  const won = (calls * saved * dear.read + below * left * (dear.read - read)) / MILLION
  const cost = (again * write) / MILLION + beside
  if (calls < LEAST_CALLS || saved <= 0 || won <= cost * LEAST_GAIN) return undefined
  return { calls, size, saved, again, won, cost, ...(below > 0 ? { below: dear.tokens } : {}) }
}

/**
 * How many calls can be expected before a conversation has to be cut, and how much each adds, tokens. It goes on for as long as it has gone on without a pause that
 * outlasts the cache, as far as its last calls say, and no longer than what it grows by in a call has room. Pure.
 */
export function expectedCalls(
  recent: readonly { readonly at: number; readonly used: number }[],
  { available, lifeSeconds }: { readonly available: number; readonly lifeSeconds: number },
): { readonly calls: number; readonly growth: number } {
  const gap = (index: number) => (recent[index]!.at - recent[index - 1]!.at) / 1000
  const pause = recent.findLastIndex((_, index) => index > 0 && gap(index) > lifeSeconds)
  const warm = recent.slice(Math.max(0, pause))
  const last = warm.at(-1)
  if (!last) return { calls: 0, growth: 0 }
  const steps = warm.slice(1).flatMap(({ used }, index) => (used > warm[index]!.used ? [used - warm[index]!.used] : []))
  if (steps.length === 0) return { calls: 0, growth: 0 }
  const growth = steps.reduce((sum, each) => sum + each, 0) / steps.length
  return { calls: Math.max(0, Math.floor(Math.min(warm.length, (available - last.used) / growth))), growth }
}
