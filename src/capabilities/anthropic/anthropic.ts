import type { CacheRules, CatalogRow, ModelFacts, Price } from '../../model.ts'
import { provider } from '../../model/provider.ts'
import { defined } from '../../platform.ts'

const DATE = '2026-11-07'
const PRICES = 'https://platform.claude.com/docs/en/about-claude/pricing'
const MODELS = 'https://platform.claude.com/docs/en/about-claude/models/overview'

const MILLION = 1_000_000

/** The minimum for models without a listed one: the largest listed, so that forecasts promise no saving that may not come. */
const UNLISTED_MINIMUM = 4096

type Row = readonly [id: string, window: number, maxOutput: number, price: Price, cache: CacheRules, source: string]

const ROWS: readonly Row[] = [
  ['claude-fable-5-1', MILLION, 128_000, priced(10, 0.25, 50), marked(UNLISTED_MINIMUM), PRICES],
  ['claude-opus-5-5', MILLION, 128_000, priced(4, 0.2, 20), marked(UNLISTED_MINIMUM), PRICES],
  ['claude-opus-5', MILLION, 128_000, priced(5, 0.5, 25), marked(512), PRICES],
  ['claude-sonnet-5-5', MILLION, 128_000, priced(2, 0.2, 10), marked(UNLISTED_MINIMUM), PRICES],
  [
    'claude-sonnet-5-5',
    MILLION,
    128_000,
    { ...priced(2, 0.1, 10), since: '2026-10-07' },
    marked(UNLISTED_MINIMUM),
    PRICES,
  ],
  ['claude-sonnet-5', MILLION, 128_000, priced(2, 0.2, 10), marked(1024), PRICES],
  ['claude-fable-5', MILLION, 128_000, priced(10, 1, 50), marked(512), PRICES],
  ['claude-opus-4-8', MILLION, 128_000, priced(5, 0.5, 25), marked(1024), PRICES],
  ['claude-opus-4-7', MILLION, 128_000, priced(5, 0.5, 25), marked(2048), PRICES],
  ['claude-opus-4-6', 200_000, 128_000, priced(5, 0.5, 25), marked(4096), PRICES],
  ['claude-sonnet-4-6', 200_000, 128_000, priced(3, 0.3, 15), marked(1024), PRICES],
  ['claude-opus-4-5', 200_000, 64_000, priced(5, 0.5, 25), marked(4096), PRICES],
  ['claude-sonnet-4-5', 200_000, 64_000, priced(3, 0.3, 15), marked(1024), PRICES],
  ['claude-haiku-4-5', 200_000, 64_000, priced(1, 0.1, 5), marked(4096), PRICES],
  [
    'claude-haiku-5-5',
    MILLION,
    128_000,
    { ...priced(0.1, 0.01, 0.5), above: { tokens: 100_000, price: priced(0.5, 0.05, 2.5) } },
    marked(UNLISTED_MINIMUM),
    MODELS,
  ],
]

/** As the overview of the models writes them. */
const NAMES: Readonly<Record<string, string>> = {
  'claude-fable-5-1': 'Claude Fable 5.1',
  'claude-opus-5-5': 'Claude Opus 5.5',
  'claude-opus-5': 'Claude Opus 5',
  'claude-sonnet-5-5': 'Claude Sonnet 5.5',
  'claude-sonnet-5': 'Claude Sonnet 5',
  'claude-fable-5': 'Claude Fable 5',
  'claude-opus-4-8': 'Claude Opus 4.8',
  'claude-opus-4-7': 'Claude Opus 4.7',
  'claude-opus-4-6': 'Claude Opus 4.6',
  'claude-sonnet-4-6': 'Claude Sonnet 4.6',
  'claude-opus-4-5': 'Claude Opus 4.5',
  'claude-sonnet-4-5': 'Claude Sonnet 4.5',
  'claude-haiku-4-5': 'Claude Haiku 4.5',
  'claude-haiku-5-5': 'Claude Haiku 5.5',
}

const anthropicCatalog: readonly CatalogRow[] = ROWS.map(([id, window, maxOutput, price, cache, source]) => ({
  id,
  ...defined({ name: NAMES[id] }),
  window,
  maxOutput,
  vision: true,
  reasoning: true,
  price,
  cache,
  date: DATE,
  source,
}))

/** Marked prefixes, kept for five minutes from their last use, or for an hour. The marks are those that `anthropic-model.ts` sets. */
function marked(minimumTokens: number): CacheRules {
  const marks = ['tools', 'system', 'settled', 'steady'] as const
  return { kind: 'marked', minimumTokens, lifetimeSeconds: 300, longerSeconds: 3600, marks, lookBack: 20 }
}

/** A cache write costs 1.25 times the input, and twice the input where it is kept for an hour. */
function priced(input: number, cachedInput: number, output: number): Price {
  return { input, cachedInput, cacheWrite: input * 1.25, cacheWriteLonger: input * 2, output }
}

function withoutLongerLife({ cache, ...facts }: ModelFacts): ModelFacts {
  if (!cache) return facts
  const { longerSeconds: _, ...rest } = cache
  return { ...facts, cache: rest }
}

/** Anthropic, over the Messages API. */
export const anthropic = provider({
  kind: 'anthropic',
  title: 'Anthropic',
  website: 'https://console.anthropic.com/settings/keys',
  builtIn: true,
  baseURL: 'https://api.anthropic.com/v1',
  baseURLVariable: 'ANTHROPIC_BASE_URL',
  environmentKeys: ['ANTHROPIC_API_KEY'],
  keyHeader: 'x-api-key',
  catalog: anthropicCatalog,
  defaultModel: { name: 'claude-sonnet-5-5', rank: 2 },
  open: async (settings) => (await import('./anthropic-model.ts')).anthropicModel(settings),
  // Other servers with the Messages API may refuse the longer life, and may have no cache. A model that is newer than the catalog has one.
  adjustFacts: (facts, { official }) =>
    official ? { cache: marked(UNLISTED_MINIMUM), ...facts } : withoutLongerLife(facts),
  async verify(connection, milliseconds) {
    const { expectOk } = await import('../../model.ts')
    const key = await connection.key()
    const headers = { 'x-api-key': key ?? '', 'anthropic-version': '2023-06-01', ...connection.configuration.headers }
    const signal = connection.clock.timeoutSignal(milliseconds)
    return expectOk(await connection.fetch(`${connection.baseURL}/models?limit=1`, { headers, signal }))
  },
  async facts(connection, model, milliseconds) {
    const { assumedFacts, listedFacts, listModelsEndpoint } = await import('../../model.ts')
    if (connection.official) return assumedFacts(model)
    // Other servers with the Messages API list their models in OpenAI's format, if at all.
    return listedFacts(await listModelsEndpoint(connection, milliseconds), model)
  },
})
