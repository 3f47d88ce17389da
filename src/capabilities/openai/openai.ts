import { z } from 'zod'
import type { CacheRules, CatalogRow, ChatPackage, ModelFacts, Price } from '../../model.ts'
import { catalogNames, chatWireSettings, provider } from '../../model/provider.ts'
import { defined } from '../../platform.ts'

const DATE = '2026-11-18'
const MODELS = 'https://developers.openai.com/api/docs/models'
const PRICES = 'https://developers.openai.com/api/docs/pricing'

const GPT_WINDOW = 1_050_000
const GPT_LONG = 272_000

/** https://developers.openai.com/api/docs/guides/prompt-caching */
const CACHE: CacheRules = { kind: 'automatic', minimumTokens: 1024, step: 128, lifetimeSeconds: 300 }

/** From GPT-5.6 on (the same page): writes are billed, a breakpoint stands near the newest message, and nothing is rounded. */
const BILLED_WRITES: CacheRules = {
  kind: 'marked',
  minimumTokens: 1024,
  lifetimeSeconds: 1800,
  marks: ['newest'],
  breakpoints: true,
}
const BILLS_WRITES = /^gpt-(?:5\.6|6)/
/** Of the price of fresh input. Reads where a row names no price of its own: "up to 90 %" less. */
const WRITE_SHARE = 1.25
const READ_SHARE = 0.1

/** Models that take `prompt_cache_retention: "24h"` (the same page, "Extended prompt cache retention"). Later models refuse it. */
const EXTENDED = new Set(['gpt-5.4', 'gpt-5.2', 'gpt-5.1', 'gpt-5', 'gpt-4.1'])
const DAY = 24 * 3600

type Row = readonly [id: string, window: number, maxOutput: number, price: Price, source: string]

/** Cheaper since the end of July 2026. */
const CUT = { since: '2026-07-30' }

const REASONING: readonly Row[] = [
  ['gpt-6.2-astra', GPT_WINDOW, 128_000, { input: 8, cachedInput: 0.4, output: 40 }, MODELS],
  ['gpt-6.2-sol', GPT_WINDOW, 128_000, { input: 2, cachedInput: 0.1, output: 10 }, MODELS],
  ['gpt-6-astra', GPT_WINDOW, 128_000, { input: 10, output: 50 }, MODELS],
  ['gpt-6.1-sol', GPT_WINDOW, 128_000, { input: 2, cachedInput: 0.1, output: 10 }, MODELS],
  ['gpt-6.1-terra', GPT_WINDOW, 128_000, { input: 1, cachedInput: 0.05, output: 5 }, MODELS],
  ['gpt-6-sol', GPT_WINDOW, 128_000, { input: 2, output: 10 }, MODELS],
  ['gpt-6-luna', GPT_WINDOW, 128_000, { input: 0.1, output: 0.5 }, MODELS],
  ['gpt-5.6-sol', GPT_WINDOW, 128_000, { input: 4, output: 20 }, MODELS],
  ['gpt-5.6', GPT_WINDOW, 128_000, { input: 4, output: 20 }, MODELS],
  ['gpt-5.6-terra', GPT_WINDOW, 128_000, { input: 2.5, output: 15 }, MODELS],
  ['gpt-5.6-terra', GPT_WINDOW, 128_000, { input: 2, output: 12, ...CUT }, MODELS],
  ['gpt-5.6-luna', GPT_WINDOW, 128_000, { input: 1, output: 6 }, MODELS],
  ['gpt-5.6-luna', GPT_WINDOW, 128_000, { input: 0.2, output: 1.2, ...CUT }, MODELS],
  ['gpt-5.5', GPT_WINDOW, 128_000, { input: 5, cachedInput: 0.5, output: 30 }, PRICES],
  ['gpt-5.4', GPT_WINDOW, 128_000, { input: 2.5, cachedInput: 0.25, output: 15 }, PRICES],
  ['gpt-5.4-mini', 400_000, 128_000, { input: 0.75, cachedInput: 0.075, output: 4.5 }, PRICES],
  ['gpt-5.4-nano', 400_000, 128_000, { input: 0.2, cachedInput: 0.02, output: 1.25 }, PRICES],
  ['gpt-5.2', 400_000, 128_000, { input: 1.75, cachedInput: 0.175, output: 14 }, PRICES],
  ['gpt-5.1', 400_000, 128_000, { input: 1.25, cachedInput: 0.125, output: 10 }, MODELS],
  ['gpt-5', 400_000, 128_000, { input: 1.25, cachedInput: 0.125, output: 10 }, MODELS],
  ['gpt-5-mini', 400_000, 128_000, { input: 0.25, cachedInput: 0.025, output: 2 }, MODELS],
]

/** Models that answer without reasoning. */
const PLAIN: readonly Row[] = [
  ['gpt-4.1', 1_047_576, 32_768, { input: 2, cachedInput: 0.5, output: 8 }, PRICES],
  ['gpt-4o-mini', 128_000, 16_384, { input: 0.15, cachedInput: 0.075, output: 0.6 }, PRICES],
]

/** As the list of the models writes them. */
const NAMES: Readonly<Record<string, string>> = {
  'gpt-6-astra': 'GPT-6 Astra',
  'gpt-6.1-sol': 'GPT-6.1 Sol',
  'gpt-6.1-terra': 'GPT-6.1 Terra',
  'gpt-6-sol': 'GPT-6 Sol',
  'gpt-6-luna': 'GPT-6 Luna',
  'gpt-5.6-sol': 'GPT-5.6 Sol',
  'gpt-5.6': 'GPT-5.6 Sol',
  'gpt-5.6-terra': 'GPT-5.6 Terra',
  'gpt-5.6-luna': 'GPT-5.6 Luna',
  'gpt-5.5': 'GPT-5.5',
  'gpt-5.4': 'GPT-5.4',
  'gpt-5.4-mini': 'GPT-5.4 mini',
  'gpt-5.4-nano': 'GPT-5.4 nano',
  'gpt-5.2': 'GPT-5.2',
  'gpt-5.1': 'GPT-5.1',
  'gpt-5': 'GPT-5',
  'gpt-5-mini': 'GPT-5 mini',
  'gpt-4.1': 'GPT-4.1',
  'gpt-4o-mini': 'GPT-4o mini',
}

const openaiCatalog: readonly CatalogRow[] = [
  ...REASONING.map((row) => catalogRow(row, true)),
  ...PLAIN.map((row) => catalogRow(row, false)),
]

function catalogRow([id, window, maxOutput, price, source]: Row, reasoning: boolean): CatalogRow {
  const about = { id, ...defined({ name: NAMES[id] }), window, maxOutput, vision: true, reasoning, date: DATE, source }
  const whole = (own: Price) => (window === GPT_WINDOW ? longPrice(own) : own)
  if (!BILLS_WRITES.test(id)) {
    return { ...about, price: whole(price), cache: EXTENDED.has(id) ? { ...CACHE, longerSeconds: DAY } : CACHE }
  }
  return { ...about, price: whole(withWrites(price)), cache: BILLED_WRITES }
}

function withWrites(price: Price): Price {
  const { input, cachedInput = rounded(input * READ_SHARE) } = price
  return { ...price, cachedInput, cacheWrite: rounded(input * WRITE_SHARE) }
}

/** To a ten-thousandth of a dollar per million tokens. */
function rounded(dollars: number): number {
  return Math.round(dollars * 10_000) / 10_000
}

/** Models with the large window: a call with more than 272,000 prompt tokens costs twice for what it reads and writes, and half again for its answer. */
function longPrice(price: Price): Price {
  const { input, cachedInput = input, cacheWrite, output } = price
  const twice = { input: input * 2, cachedInput: cachedInput * 2, output: rounded(output * 1.5) }
  const long = cacheWrite === undefined ? twice : { ...twice, cacheWrite: cacheWrite * 2 }
  return { ...price, above: { tokens: GPT_LONG, price: long } }
}

const baseURL = 'https://api.openai.com/v1'

/** A model can reason for long without output, and Node's own `fetch` gives up after 300 seconds. */
const TIMEOUTS = { firstMs: 280_000, idleMs: 180_000 }

/** Its own address uses the Responses API, others Chat Completions (`docs/decisions/0004-models.md`). */
export const openai = provider({
  kind: 'openai',
  title: 'OpenAI',
  website: 'https://platform.openai.com/api-keys',
  builtIn: true,
  settings: {
    ...chatWireSettings,
    cacheRetention: z
      .enum(['memory', '24h'])
      .optional()
      .describe(
        'How long OpenAI is asked to keep prompts in its cache. `24h`: up to a day, on its storage, for models that take it. `memory`, unless given: minutes.',
      ),
  },
  adjustFacts: (facts, { official, options }) => withCacheSettings(facts, official, options.cacheRetention === '24h'),
  baseURL,
  baseURLVariable: 'OPENAI_BASE_URL',
  environmentKeys: ['OPENAI_API_KEY'],
  catalog: openaiCatalog,
  defaultModel: { name: 'gpt-6.1-sol', rank: 3 },
  async open(settings) {
    const { chatWireModel } = await import('../../model.ts')
    const api = settings.options.api ?? (settings.baseURL === baseURL ? 'responses' : 'chat')
    return chatWireModel(settings, api, openaiPackage, TIMEOUTS)
  },
  async list(connection, milliseconds) {
    if (connection.official) return catalogNames(openaiCatalog)
    // The catalog takes precedence over the server's facts of a model with the same name.
    const { listModelsEndpoint } = await import('../../model.ts')
    const listed = await listModelsEndpoint(connection, milliseconds)
    return listed.map(({ name, facts }) => (openaiCatalog.some(({ id }) => id === name) ? { name } : { name, facts }))
  },
})

/** Other servers may refuse marks, and a longer life is only asked for where the configuration says so. */
function withCacheSettings(facts: ModelFacts, official: boolean, isExtended: boolean): ModelFacts {
  if (!facts.cache) return facts
  const { breakpoints, ...cache } = facts.cache
  const marks: Partial<CacheRules> = official && breakpoints ? { breakpoints, marks: ['asked', 'newest'] } : {}
  const { longerSeconds } = cache
  if (!isExtended || longerSeconds === undefined) return { ...facts, cache: { ...cache, ...marks } }
  return { ...facts, cache: { ...cache, ...marks, lifetimeSeconds: longerSeconds, retention: '24h' } }
}

const openaiPackage: ChatPackage = {
  optionsKey: 'openai',
  takesCacheKey: true,
  load: async (connection) => (await import('@ai-sdk/openai')).createOpenAI(connection),
}
