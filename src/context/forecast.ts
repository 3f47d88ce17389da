import type { CacheRules } from './cache-rules.ts'

/** Expected cost of a prompt before the call: tokens, and US dollars if the price is known. */
export interface Forecast {
  /** Read from the provider's cache. */
  readonly cached: number
  /** Written to the cache, if the provider reports that separately (marked caches). */
  readonly written: number
  /** Of `written`, what is kept for longer. */
  readonly writtenLonger?: number
  /** Read without the cache. */
  readonly fresh: number
  readonly money: number | undefined
  /** Nothing is known of a cache: `cached` and `written` are not expectations. */
  readonly cacheUnknown?: true
  /** Nine prompts in ten have so many tokens, by what was learned of earlier calls. */
  readonly between?: readonly [least: number, most: number]
  /** The same in US dollars, if the price is known. */
  readonly moneyBetween?: readonly [least: number, most: number]
}

/** Facts about a call before it is made. */
export interface ForecastInput {
  /** The whole prompt, tokens. */
  readonly promptTokens: number
  /** Tokens at the beginning that are the same as in the last call. */
  readonly reuseTokens: number
  /** Of the last call's answer, where it follows unchanged on those, tokens. */
  readonly answerTokens?: number
  /** At the end, behind the last mark of the request: neither read from a marked cache nor written to it, tokens. */
  readonly unmarkedTokens?: number
  /** The beginning that is to be kept for longer, tokens. */
  readonly longerTokens?: number
  /** Since that call, seconds. Unknown counts as in time. */
  readonly secondsSince?: number
  readonly cache?: CacheRules
  readonly price?: Price
}

/** US dollars per million tokens. */
export interface Price {
  readonly input: number
  readonly cachedInput?: number
  readonly cacheWrite?: number
  /** Written to be kept for longer. */
  readonly cacheWriteLonger?: number
  readonly output: number
  /** The price of the whole call if the prompt has more than `tokens` tokens. It can have a higher tier of its own. */
  readonly above?: { readonly tokens: number; readonly price: Price }
  /** The first day on which it holds, and the last one for which it is promised, ISO dates in UTC. */
  readonly since?: string
  readonly until?: string
  /** What held before `since`. */
  readonly before?: Price
}

/** What a provider reported of one call, tokens. `undefined`: not reported. */
export interface ReportedTokens {
  /** All prompt tokens, cached ones included. */
  readonly promptTokens: number | undefined
  readonly cachedTokens: number | undefined
  readonly cacheWrittenTokens: number | undefined
  /** Of the written ones, those that are kept for longer. */
  readonly cacheWrittenLongerTokens?: number | undefined
  readonly outputTokens: number | undefined
  /** What the provider says that the call cost, US dollars. */
  readonly cost?: number | undefined
}

/**
 * Forecasts cached and fresh tokens. A beginning is reused in whole steps if it is long enough and the last call is recent
 * enough; in a marked cache the rest is written, because the newest message has a mark.
 */
export function forecast(input: ForecastInput): Forecast {
  const { promptTokens, reuseTokens, answerTokens = 0, longerTokens = 0, secondsSince = 0, cache, price } = input
  const same = reuseTokens + (cache?.answers ? answerTokens : 0)
  const cached = cache && secondsSince <= cache.lifetimeSeconds ? reusable(Math.min(same, promptTokens), cache) : 0
  const rest = promptTokens - cached
  const written =
    cache?.kind === 'marked' && promptTokens >= cache.minimumTokens
      ? Math.max(0, rest - (input.unmarkedTokens ?? 0))
      : 0
  const fresh = rest - written
  const writtenLonger = Math.max(0, Math.min(written, longerTokens - cached))
  const tokens = { cached, written, fresh, ...(writtenLonger > 0 && { writtenLonger }) }
  return { ...tokens, money: price && promptMoney(tokens, price) }
}

/**
 * Cost of a call, US dollars: what its provider reported, else its tokens by the price that held at `time`, ISO 8601. `undefined` if
 * prompt or output tokens were not reported, or the price is not known: a cost is never guessed. Without figures for the cache,
 * none was used. A model that is free costs nothing, whatever was reported.
 */
export function callCost(usage: Partial<ReportedTokens>, known: Price | undefined, time?: string): number | undefined {
  const { promptTokens, outputTokens, cost } = usage
  if (promptTokens === undefined || outputTokens === undefined) return known && isFree(known) ? 0 : undefined
  if (cost !== undefined || !known) return cost
  const price = time === undefined ? known : priceAt(known, time)
  const read = promptMoney(promptParts(promptTokens, usage), price)
  return read + (outputTokens * priceTier(price, promptTokens).output) / MILLION
}

function isFree({ input, output, above, before }: Price): boolean {
  return input === 0 && output === 0 && above === undefined && before === undefined
}

/** What each part of a call of so many tokens costs by a price, US dollars; without a price, its tokens. */
export function callCostParts(
  usage: Partial<ReportedTokens>,
  price: Price | undefined,
): Pick<Forecast, 'cached' | 'written' | 'fresh'> & { readonly output: number } {
  const { promptTokens = 0, outputTokens: output = 0 } = usage
  const tokens = promptParts(promptTokens, usage)
  if (!price) return { ...tokens, output }
  return { ...promptCostParts(tokens, price), output: (output * priceTier(price, promptTokens).output) / MILLION }
}

/** What a call may cost, US dollars. */
export interface ForecastRange {
  /** The prompt alone. */
  readonly least: number
  /** With the longest answer that it may have. */
  readonly most: number
  /** That answer alone. */
  readonly answer: number
}

/** What a call costs with no answer up to one of `answerTokens`. */
export function forecastRange(tokens: Tokens, answerTokens: number, price: Price): ForecastRange {
  const least = promptMoney(tokens, price)
  const answer = (answerTokens * priceTier(price, sizeOf(tokens)).output) / MILLION
  return { least, most: least + answer, answer }
}

/** The price of a model: nothing for one that is free, such as one on a machine of one's own. `undefined`: it is not known. */
export function priceOfModel(
  facts: { readonly price?: Price; readonly free?: boolean } | undefined,
): Price | undefined {
  return facts?.price ?? (facts?.free ? { input: 0, output: 0 } : undefined)
}

/** What each part of a prompt costs, US dollars. `written` is all of it that is written. */
export function promptCostParts(tokens: Tokens, price: Price): Pick<Forecast, 'cached' | 'written' | 'fresh'> {
  const { cached, written, fresh, writtenLonger = 0 } = tokens
  const { read, write, longer, input } = partPrices(tokens, price)
  return {
    cached: (cached * read) / MILLION,
    written: (written * write + writtenLonger * (longer - write)) / MILLION,
    fresh: (fresh * input) / MILLION,
  }
}

const MILLION = 1_000_000

function reusable(tokens: number, { minimumTokens, step = 1 }: CacheRules): number {
  return tokens < minimumTokens ? 0 : Math.floor(tokens / step) * step
}

type Tokens = Pick<Forecast, 'cached' | 'written' | 'writtenLonger' | 'fresh'>

function promptParts(promptTokens: number, usage: Partial<ReportedTokens>): Tokens {
  const { cachedTokens: cached = 0, cacheWrittenTokens: written = 0, cacheWrittenLongerTokens: longer = 0 } = usage
  return {
    cached,
    written,
    writtenLonger: Math.min(longer, written),
    fresh: Math.max(0, promptTokens - cached - written),
  }
}

function promptMoney(tokens: Tokens, price: Price): number {
  const { cached, written, fresh, writtenLonger = 0 } = tokens
  const { read, write, longer, input } = partPrices(tokens, price)
  return (cached * read + written * write + fresh * input + writtenLonger * (longer - write)) / MILLION
}

function partPrices(tokens: Tokens, price: Price) {
  const {
    input,
    cachedInput = input,
    cacheWrite = input,
    cacheWriteLonger = cacheWrite,
  } = priceTier(price, sizeOf(tokens))
  return { input, read: cachedInput, write: cacheWrite, longer: cacheWriteLonger }
}

function sizeOf({ cached, written, fresh }: Tokens): number {
  return cached + written + fresh
}

/** Some prices are higher for the whole call if its prompt is long. */
export function priceTier(price: Price, promptTokens: number): Price {
  return price.above && promptTokens > price.above.tokens ? priceTier(price.above.price, promptTokens) : price
}

/** The price that held at a time, ISO 8601. */
export function priceAt(price: Price, time: string): Price {
  return price.before && price.since && time < price.since ? priceAt(price.before, time) : price
}
