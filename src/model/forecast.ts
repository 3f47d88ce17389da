import type { CacheRules, ModelUsage, Price } from './model.ts'

/** What a prompt is expected to cost, before the call is made. Tokens, and US dollars where a price is known. */
export interface Forecast {
  /** Read from the provider's cache. */
  readonly cached: number
  /** Put into the cache, where that is told apart (marked caches). */
  readonly written: number
  /** Read as if for the first time. */
  readonly fresh: number
  readonly money: number | undefined
}

/** What is known of a call before it is made. */
export interface ForecastInput {
  /** The whole prompt, tokens. */
  readonly promptTokens: number
  /** Tokens at the beginning that are the same as in the last call. */
  readonly reuseTokens: number
  /** Since that call, seconds. Unknown counts as in time. */
  readonly secondsSince?: number
  readonly cache?: CacheRules
  readonly price?: Price
}

/**
 * What the cache will hold of a prompt. A beginning is reused if it is long enough, in whole steps, and if the last call is
 * not too long ago; in a marked cache the rest is written, since the newest message carries a mark.
 */
export function forecast({ promptTokens, reuseTokens, secondsSince = 0, cache, price }: ForecastInput): Forecast {
  const cached =
    cache && secondsSince <= cache.lifetimeSeconds ? reusable(Math.min(reuseTokens, promptTokens), cache) : 0
  const rest = promptTokens - cached
  const written = cache?.kind === 'marked' && promptTokens >= cache.minimumTokens ? rest : 0
  const fresh = rest - written
  return { cached, written, fresh, money: price && promptMoney({ cached, written, fresh }, price) }
}

/**
 * What a call has cost by what the provider reported, in US dollars. `undefined` where it did not say how much was read or
 * answered: a cost is never guessed. Silence about a cache counts as none used.
 */
export function costOf(usage: ModelUsage, price: Price): number | undefined {
  const { promptTokens, cachedTokens = 0, cacheWrittenTokens = 0, outputTokens } = usage
  if (promptTokens === undefined || outputTokens === undefined) return undefined
  const fresh = Math.max(0, promptTokens - cachedTokens - cacheWrittenTokens)
  const read = promptMoney({ cached: cachedTokens, written: cacheWrittenTokens, fresh }, price)
  return read + (outputTokens * tierOf(price, promptTokens).output) / MILLION
}

const MILLION = 1_000_000

function reusable(tokens: number, { minimumTokens, step = 1 }: CacheRules): number {
  return tokens < minimumTokens ? 0 : Math.floor(tokens / step) * step
}

type Tokens = Pick<Forecast, 'cached' | 'written' | 'fresh'>

function promptMoney({ cached, written, fresh }: Tokens, price: Price): number {
  const { input, cachedInput = input, cacheWrite = input } = tierOf(price, cached + written + fresh)
  return (cached * cachedInput + written * cacheWrite + fresh * input) / MILLION
}

/** Some prices rise for the whole call when its prompt is long. */
function tierOf(price: Price, promptTokens: number): Omit<Price, 'above'> {
  return price.above && promptTokens > price.above.tokens ? price.above.price : price
}
