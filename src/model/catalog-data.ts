import type { CacheRules, Price } from './model.ts'

/** What is known of one model, when it was looked up, and where. */
export interface CatalogRow {
  readonly id: string
  readonly window: number
  readonly maxOutput: number
  readonly vision: boolean
  readonly reasoning: boolean
  readonly price: Price
  readonly cache: CacheRules
  /** ISO date of the look-up. */
  readonly date: string
  readonly source: string
}

const DATE = '2026-11-07'
const CLAUDE_PRICES = 'https://platform.claude.com/docs/en/about-claude/pricing'
const CLAUDE_MODELS = 'https://platform.claude.com/docs/en/about-claude/models/overview'
const OPENAI_MODELS = 'https://developers.openai.com/api/docs/models'
const OPENAI_PRICES = 'https://developers.openai.com/api/docs/pricing'

const MILLION = 1_000_000
const GPT_WINDOW = 1_050_000
const GPT_LONG = 272_000

/** Marked prefixes, kept for five minutes from their last use; writing costs a quarter more than reading afresh. */
function marked(minimumTokens: number): CacheRules {
  return { kind: 'marked', minimumTokens, lifetimeSeconds: 300 }
}

/** Where a model's least cached prompt is not listed: the largest that is, so that no saving is promised that does not come. */
const UNLISTED_MINIMUM = 4096

/** https://developers.openai.com/api/docs/guides/prompt-caching */
const AUTOMATIC: CacheRules = { kind: 'automatic', minimumTokens: 1024, step: 128, lifetimeSeconds: 300 }

/** Anthropic's prices: a cache write costs 1.25 times the input. */
function claudePrice(input: number, cachedInput: number, output: number): Price {
  return { input, cachedInput, cacheWrite: input * 1.25, output }
}

/** Prompts of more than 272,000 tokens: twice for what is read, one and a half times for what is written. */
function longPrice(price: Price): Price {
  const { input, output } = price
  return { ...price, above: { tokens: GPT_LONG, price: { input: input * 2, output: output * 1.5 } } }
}

type Row = readonly [id: string, window: number, maxOutput: number, price: Price, cache: CacheRules, source: string]

const CLAUDE: readonly Row[] = [
  ['claude-fable-5-1', MILLION, 128_000, claudePrice(10, 0.25, 50), marked(UNLISTED_MINIMUM), CLAUDE_PRICES],
  ['claude-opus-5-5', MILLION, 128_000, claudePrice(4, 0.2, 20), marked(UNLISTED_MINIMUM), CLAUDE_PRICES],
  ['claude-opus-5', MILLION, 128_000, claudePrice(5, 0.5, 25), marked(512), CLAUDE_PRICES],
  ['claude-sonnet-5-5', MILLION, 128_000, claudePrice(2, 0.1, 10), marked(UNLISTED_MINIMUM), CLAUDE_PRICES],
  ['claude-sonnet-5', MILLION, 128_000, claudePrice(2, 0.2, 10), marked(1024), CLAUDE_PRICES],
  ['claude-opus-4-8', MILLION, 128_000, claudePrice(5, 0.5, 25), marked(1024), CLAUDE_PRICES],
  ['claude-opus-4-6', 200_000, 128_000, claudePrice(5, 0.5, 25), marked(4096), CLAUDE_PRICES],
  ['claude-sonnet-4-6', 200_000, 128_000, claudePrice(3, 0.3, 15), marked(1024), CLAUDE_PRICES],
  ['claude-opus-4-5', 200_000, 64_000, claudePrice(5, 0.5, 25), marked(4096), CLAUDE_PRICES],
  ['claude-sonnet-4-5', 200_000, 64_000, claudePrice(3, 0.3, 15), marked(1024), CLAUDE_PRICES],
  ['claude-haiku-4-5', 200_000, 64_000, claudePrice(1, 0.1, 5), marked(4096), CLAUDE_PRICES],
  [
    'claude-haiku-5-5',
    MILLION,
    128_000,
    { ...claudePrice(0.1, 0.01, 0.5), above: { tokens: 100_000, price: claudePrice(0.5, 0.05, 2.5) } },
    marked(UNLISTED_MINIMUM),
    CLAUDE_MODELS,
  ],
]

const GPT: readonly Row[] = [
  ['gpt-6-astra', GPT_WINDOW, 128_000, { input: 10, output: 50 }, AUTOMATIC, OPENAI_MODELS],
  ['gpt-6.1-sol', GPT_WINDOW, 128_000, { input: 2, cachedInput: 0.1, output: 10 }, AUTOMATIC, OPENAI_MODELS],
  ['gpt-6.1-terra', GPT_WINDOW, 128_000, { input: 1, output: 5 }, AUTOMATIC, OPENAI_MODELS],
  ['gpt-6-sol', GPT_WINDOW, 128_000, longPrice({ input: 2, output: 10 }), AUTOMATIC, OPENAI_MODELS],
  ['gpt-6-luna', GPT_WINDOW, 128_000, longPrice({ input: 0.1, output: 0.5 }), AUTOMATIC, OPENAI_MODELS],
  ['gpt-5.6-sol', GPT_WINDOW, 128_000, { input: 4, output: 20 }, AUTOMATIC, OPENAI_MODELS],
  ['gpt-5.6', GPT_WINDOW, 128_000, { input: 4, output: 20 }, AUTOMATIC, OPENAI_MODELS],
  ['gpt-5.6-terra', GPT_WINDOW, 128_000, { input: 2, output: 12 }, AUTOMATIC, OPENAI_MODELS],
  ['gpt-5.6-luna', GPT_WINDOW, 128_000, { input: 0.2, output: 1.2 }, AUTOMATIC, OPENAI_MODELS],
  ['gpt-5.4', GPT_WINDOW, 128_000, { input: 2.5, cachedInput: 0.25, output: 15 }, AUTOMATIC, OPENAI_PRICES],
  ['gpt-5.2', 400_000, 128_000, { input: 1.75, cachedInput: 0.175, output: 14 }, AUTOMATIC, OPENAI_PRICES],
  ['gpt-5.1', 400_000, 128_000, { input: 1.25, cachedInput: 0.125, output: 10 }, AUTOMATIC, OPENAI_MODELS],
  ['gpt-5', 400_000, 128_000, { input: 1.25, cachedInput: 0.125, output: 10 }, AUTOMATIC, OPENAI_MODELS],
  ['gpt-5-mini', 400_000, 128_000, { input: 0.25, cachedInput: 0.025, output: 2 }, AUTOMATIC, OPENAI_MODELS],
]

/** Models that answer without reasoning. */
const PLAIN: readonly Row[] = [
  ['gpt-4.1', 1_047_576, 32_768, { input: 2, cachedInput: 0.5, output: 8 }, AUTOMATIC, OPENAI_PRICES],
  ['gpt-4o-mini', 128_000, 16_384, { input: 0.15, cachedInput: 0.075, output: 0.6 }, AUTOMATIC, OPENAI_PRICES],
]

function row([id, window, maxOutput, price, cache, source]: Row, reasoning: boolean): CatalogRow {
  return { id, window, maxOutput, vision: true, reasoning, price, cache, date: DATE, source }
}

/** Dated rows, in the order they are offered. All of them take tools, and can be told to answer without one. */
export const CATALOG: Readonly<Record<'anthropic' | 'openai', readonly CatalogRow[]>> = {
  anthropic: CLAUDE.map((line) => row(line, true)),
  openai: [...GPT.map((line) => row(line, true)), ...PLAIN.map((line) => row(line, false))],
}

/** What well-known open families can do, wherever they are served. Their window depends on who serves them. */
export const OPEN_FAMILIES: readonly {
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

/** Chosen where nobody chose: able, fast, and not dear. */
export const DEFAULT_MODELS = { anthropic: 'claude-sonnet-5-5', openai: 'gpt-6.1-sol' } as const
