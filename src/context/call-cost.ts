/** The tokens of a prompt by what is paid for them. Together they are the prompt. */
export interface PromptTokens {
  /** Read from the provider's cache. */
  readonly cached: number
  /** Written to the cache, if the provider reports that separately (marked caches). */
  readonly written: number
  /** Of `written`, what is kept for longer. */
  readonly writtenLonger?: number
  /** Read without the cache. */
  readonly fresh: number
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
): Omit<PromptTokens, 'writtenLonger'> & { readonly output: number } {
  const { promptTokens = 0, outputTokens: output = 0 } = usage
  const tokens = promptParts(promptTokens, usage)
  if (!price) return { ...tokens, output }
  return { ...promptCostParts(tokens, price), output: (output * priceTier(price, promptTokens).output) / MILLION }
}

/** The price of a model: nothing for one that is free, such as one on a machine of one's own. `undefined`: it is not known. */
export function priceOfModel(
  facts: { readonly price?: Price; readonly free?: boolean } | undefined,
): Price | undefined {
  return facts?.price ?? (facts?.free ? { input: 0, output: 0 } : undefined)
}

/** What each part of a prompt costs, US dollars. `written` is all of it that is written. */
export function promptCostParts(tokens: PromptTokens, price: Price): Omit<PromptTokens, 'writtenLonger'> {
  const { cached, written, fresh, writtenLonger = 0 } = tokens
  const { read, write, longer, input } = partPrices(tokens, price)
  return {
    cached: (cached * read) / MILLION,
    written: (written * write + writtenLonger * (longer - write)) / MILLION,
    fresh: (fresh * input) / MILLION,
  }
}

/** A price is for so many tokens. */
export const MILLION = 1_000_000

function promptParts(promptTokens: number, usage: Partial<ReportedTokens>): PromptTokens {
  const { cachedTokens: cached = 0, cacheWrittenTokens: written = 0, cacheWrittenLongerTokens: longer = 0 } = usage
  return {
    cached,
    written,
    writtenLonger: Math.min(longer, written),
    fresh: Math.max(0, promptTokens - cached - written),
  }
}

/** What a prompt costs, US dollars. */
export function promptMoney(tokens: PromptTokens, price: Price): number {
  const { cached, written, fresh, writtenLonger = 0 } = tokens
  const { read, write, longer, input } = partPrices(tokens, price)
  return (cached * read + written * write + fresh * input + writtenLonger * (longer - write)) / MILLION
}

function partPrices(tokens: PromptTokens, price: Price) {
  const {
    input,
    cachedInput = input,
    cacheWrite = input,
    cacheWriteLonger = cacheWrite,
  } = priceTier(price, promptSize(tokens))
  return { input, read: cachedInput, write: cacheWrite, longer: cacheWriteLonger }
}

export function promptSize({ cached, written, fresh }: PromptTokens): number {
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
