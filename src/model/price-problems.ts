import type { CacheRules, Price } from '../context.ts'

/** What contradicts itself in prices and rules of a cache, each as a sentence; none where all of it can be true. */
export function priceProblems({
  price,
  cache,
}: {
  readonly price?: Price | undefined
  readonly cache?: CacheRules | undefined
}): readonly string[] {
  return [...(price ? ofPrice(price, cache) : []), ...(cache ? ofCache(cache) : [])]
}

function ofPrice({ above, ...price }: Price, cache: CacheRules | undefined): readonly string[] {
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
    ...(above && !(above.tokens > 0) ? [`price.above.tokens is ${above.tokens}: it is the size of a prompt.`] : []),
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
