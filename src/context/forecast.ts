import type { CacheRules } from './cache-rules.ts'
import { MILLION, type Price, priceTier, promptMoney, promptSize, type PromptTokens } from './call-cost.ts'

/** Expected cost of a prompt before the call: tokens, and US dollars if the price is known. */
export interface Forecast extends PromptTokens {
  readonly money: number | undefined
  /** Nothing is known of a cache, by its rules or by a report: `cached` and `written` are not expectations. */
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
export function forecastRange(tokens: PromptTokens, answerTokens: number, price: Price): ForecastRange {
  const least = promptMoney(tokens, price)
  const answer = (answerTokens * priceTier(price, promptSize(tokens)).output) / MILLION
  return { least, most: least + answer, answer }
}

function reusable(tokens: number, { minimumTokens, step = 1 }: CacheRules): number {
  return tokens < minimumTokens ? 0 : Math.floor(tokens / step) * step
}
