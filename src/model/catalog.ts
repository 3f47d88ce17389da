import { BlockList, isIP } from 'node:net'
import type { CacheRules, Price } from '../context.ts'
import { defined, ownNames, ownNetworks } from '../platform.ts'
import type { ModelFacts } from './model.ts'

/** Facts of one model, with the date and source of the look-up. All of them call tools and accept `toolChoice: none`. */
export interface CatalogRow {
  readonly id: string
  /** As its maker writes it. Absent where that was not looked up. */
  readonly name?: string
  readonly window: number
  readonly maxOutput: number
  readonly vision: boolean
  readonly audio?: true
  readonly reasoning: boolean
  /** Rows of one model follow each other: each holds from its `since` to that of the next. */
  readonly price: Price
  readonly cache?: CacheRules
  /** The only host at which the row holds; any unless given. */
  readonly host?: string
  /** ISO date of the look-up. */
  readonly date: string
  readonly source: string
}

/** Assumed window of an unknown model, tokens: small enough for almost every server. Calls for a warning. */
const ASSUMED_WINDOW = 8192

/** Where a model is called, and when. */
interface CatalogPlace {
  readonly host: string | undefined
  /** ISO 8601. */
  readonly time: string
}

/**
 * Facts of a model in a catalog, with the price that holds at a time. A dated id, such as `gpt-5.1-2025-11-13`, counts as its
 * base model.
 */
export function catalogFacts(
  rows: readonly CatalogRow[] = [],
  model: string,
  { host, time }: CatalogPlace,
): ModelFacts | undefined {
  const named = model.replace(/^models\//, '')
  const plain = named.replace(/-(?:\d{8}|\d{4}-\d{2}-\d{2}|latest)$/, '')
  const here = rows.filter((row) => row.host === undefined || row.host === host)
  const id = here.some((row) => row.id === named) ? named : plain
  const own = here.filter((row) => row.id === id)
  const begun = own.filter(({ price }) => price.since === undefined || price.since <= time)
  const row = begun.at(-1) ?? own[0]
  if (!row) return undefined
  const price = begun.reduce<Price | undefined>(
    (before, each) => ({ ...each.price, ...defined({ before }) }),
    undefined,
  )
  const { name, window, maxOutput, vision, audio, reasoning, cache, date, source: reference } = row
  return {
    window,
    maxOutput,
    tools: true,
    vision,
    reasoning,
    toolChoiceNone: true,
    price: price ?? row.price,
    ...defined({ name, audio, cache }),
    source: 'catalog',
    date,
    reference,
  }
}

/** Assumed facts of an unknown model. Its family determines its abilities, not its window. */
export function assumedFacts(model: string): ModelFacts {
  const family = OPEN_FAMILIES.find(({ name }) => name.test(model))
  const { tools = true, vision = false, reasoning = false } = family ?? {}
  const window = ASSUMED_WINDOW
  return {
    window,
    maxOutput: answerRoom(window),
    tools,
    vision,
    reasoning,
    toolChoiceNone: true,
    source: 'assumed',
    assumed: ['window', 'maxOutput', 'tools', 'vision', 'reasoning'],
  }
}

/**
 * Facts with better known ones on top. Assumed figures are derived again from the new window; `maxOutput` is never larger
 * than the window.
 */
export function mergeFacts(found: ModelFacts, known: Partial<ModelFacts>): ModelFacts {
  const { assumed: before = [], ...rest } = { ...found, ...known }
  const assumed = before.filter((name) => known[name] === undefined)
  const maxOutput = assumed.includes('maxOutput') ? answerRoom(rest.window) : Math.min(rest.maxOutput, rest.window)
  return { ...rest, maxOutput, ...(assumed.length > 0 ? { assumed } : {}) }
}

/** Whether a server at this address is on one's own machine or network: what it answers costs nothing unless a price is known. */
export function isOwnAddress(baseURL: string): boolean {
  const host = (URL.parse(baseURL)?.hostname ?? '').replace(/^\[|\]$|\.$/g, '')
  const version = isIP(host)
  if (version !== 0) return ownAddresses.check(host, `ipv${version as 4 | 6}`)
  // A name with one label is that of a container.
  return /^[^.:]+$/.test(host) || ownNames.some((name) => host.endsWith(`.${name}`))
}

const ownAddresses = new BlockList()
for (const version of ['ipv4', 'ipv6'] as const) {
  for (const network of ownNetworks[version]) {
    const [address, bits] = network.split('/') as [string, string]
    ownAddresses.addSubnet(address, Number(bits), version)
  }
}

const LONGEST_ANSWER = 8192

/** Assumed length of the longest answer, tokens: a quarter of the window, at most 8,192. */
export function answerRoom(window: number): number {
  return Math.min(LONGEST_ANSWER, Math.floor(window / 4))
}

/** Abilities of well-known open models. Their window depends on the server. */
const OPEN_FAMILIES: readonly {
  readonly name: RegExp
  readonly tools: boolean
  readonly vision: boolean
  readonly reasoning: boolean
}[] = [
  { name: /gpt-?oss/i, tools: true, vision: false, reasoning: true },
  { name: /qwen-?[23][.\d]*-?vl|qwen3\.5/i, tools: true, vision: true, reasoning: false },
  { name: /qwen-?3|qwq/i, tools: true, vision: false, reasoning: true },
  { name: /deepseek-(?:r1|reasoner)/i, tools: false, vision: false, reasoning: true },
  { name: /llama-?4|mistral-(?:small|medium)|pixtral|gemma-?[34]/i, tools: true, vision: true, reasoning: false },
  {
    name: /llama-?3\.[123]|qwen-?2\.5|mistral|ministral|devstral|deepseek|glm-?4|kimi/i,
    tools: true,
    vision: false,
    reasoning: false,
  },
]

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
