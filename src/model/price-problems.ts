import type { CacheRules, Price } from '../context.ts'
import type { CatalogRow } from './catalog.ts'

/**
 * What contradicts itself in prices and rules of a cache, and what was promised for a time that is over `today` (an ISO date), each
 * as a sentence; none where all of it can be true.
 */
export function priceProblems(
  { price, cache }: { readonly price?: Price | undefined; readonly cache?: CacheRules | undefined },
  today = '',
): readonly string[] {
  const ended =
    price?.until !== undefined && price.until < today
      ? [`price.until is ${price.until}: what was promised is over, so the price may be another one.`]
      : []
  return [...(price ? ofPrice(price, cache) : []), ...(cache ? ofCache(cache) : []), ...ended]
}

/** The rows whose promise has run out `today`, an ISO date, and that no later row takes the place of. */
export function endedPromises(rows: readonly CatalogRow[], today: string): readonly CatalogRow[] {
  return rows.filter(({ id, host, price: { until } }, index) => {
    const hasNext = () => rows.slice(index + 1).some((later) => later.id === id && later.host === host)
    return until !== undefined && until < today && !hasNext()
  })
}

function ofPrice({ above, since, until, ...price }: Price, cache: CacheRules | undefined): readonly string[] {
  const { input, cachedInput, cacheWrite, cacheWriteLonger, output } = price
  const all = { input, cachedInput, cacheWrite, cacheWriteLonger, output }
  const negative = Object.entries(all).flatMap(([name, value]) =>
    value !== undefined && !(value >= 0) ? [`price.${name} is ${value}: a price is 0 or more.`] : [],
  )
  return [
    ...negative,
    ...(cachedInput !== undefined && cachedInput > input
      ? [
          `price.cachedInput is ${cachedInput}, more than price.input (${input}): a cached token would cost more than a fresh one.`,
        ]
      : []),
    ...(cacheWrite !== undefined && cacheWrite < input
      ? [
          `price.cacheWrite is ${cacheWrite}, less than price.input (${input}): writing to a cache would be cheaper than reading without one.`,
        ]
      : []),
    ...(cacheWriteLonger !== undefined && cacheWriteLonger < (cacheWrite ?? input)
      ? [
          `price.cacheWriteLonger is ${cacheWriteLonger}, less than price.cacheWrite (${cacheWrite ?? input}): a longer life would be cheaper than a shorter one.`,
        ]
      : []),
    ...(cache?.kind === 'marked' && cacheWrite === undefined
      ? ['price.cacheWrite is missing, though the rules of the cache say that writes are reported.']
      : []),
    ...(cache?.kind === 'automatic' && cacheWrite !== undefined && cacheWrite > input
      ? ['price.cacheWrite is more than price.input, though an automatic cache reports no writes.']
      : []),
    ...(since !== undefined && until !== undefined && until < since
      ? [`price.until is ${until}, before price.since (${since}).`]
      : []),
    ...(above && !(above.tokens > 0) ? [`price.above.tokens is ${above.tokens}: it is the size of a prompt.`] : []),
    ...(above?.price.above && !(above.price.above.tokens > above.tokens)
      ? [`price.above.price.above.tokens is ${above.price.above.tokens}, not more than price.above.tokens.`]
      : []),
    ...(above ? ofPrice(above.price, cache).map((problem) => `above ${above.tokens} tokens: ${problem}`) : []),
  ]
}

function ofCache({ minimumTokens, lifetimeSeconds, longerSeconds, step }: CacheRules): readonly string[] {
  return [
    ...(minimumTokens >= 0 ? [] : [`cache.minimumTokens is ${minimumTokens}: it is 0 or more.`]),
    ...(lifetimeSeconds > 0
      ? []
      : [`cache.lifetimeSeconds is ${lifetimeSeconds}: a cache that lives no time is none.`]),
    ...(longerSeconds !== undefined && longerSeconds < lifetimeSeconds
      ? [`cache.longerSeconds is ${longerSeconds}, less than cache.lifetimeSeconds (${lifetimeSeconds}).`]
      : []),
    ...(step === undefined || step > 0 ? [] : [`cache.step is ${step}: it is at least one token.`]),
  ]
}
