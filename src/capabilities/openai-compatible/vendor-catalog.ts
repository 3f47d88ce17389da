import type { CacheRules, CatalogRow, Price } from '../../model.ts'
import { defined } from '../../platform.ts'

const automatic = (minimumTokens: number, lifetimeSeconds: number, step?: number): CacheRules => ({
  kind: 'automatic',
  minimumTokens,
  lifetimeSeconds,
  ...(step === undefined ? {} : { step }),
})

/** Reads of a tenth, unless another share is given. */
const priced = (input: number, output: number, cachedInput = Math.round(input * 1e4) / 1e5): Price => ({
  input,
  cachedInput,
  output,
})

/** The whole call costs so many times as much above a size of the prompt. */
function above(tokens: number, price: Price, { input, output }: { readonly input: number; readonly output: number }) {
  const longer = { input: price.input * input, cachedInput: price.cachedInput! * input, output: price.output * output }
  return { ...price, above: { tokens, price: longer } }
}

type Row = readonly [
  id: string,
  window: number,
  maxOutput: number,
  sees: boolean,
  reasons: boolean,
  date: string,
  price: Price,
]

interface Vendor {
  readonly host: string
  readonly source: string
  /** Its models hear recordings. */
  readonly audio?: true
  readonly rows: readonly Row[]
  /** Absent where nothing is promised about what is found again; what is reported as read costs the price of reads. */
  cache?(id: string): CacheRules | undefined
}

const MILLION = 1_000_000
const MEBI = 1_048_576

/** Half price until the end of 2026. */
const flash = (id: string): readonly Row[] => [
  [id, MEBI, 65_536, true, true, '2026-09-20', { ...priced(0.75, 3.75), until: '2026-12-31' }],
  [id, MEBI, 65_536, true, true, '2026-09-20', { ...priced(1.5, 7.5), since: '2027-01-01' }],
]

const DOUBLE = { input: 2, output: 2 }
const GEMINI_LONG = { input: 2, output: 1.5 }
/** From this size on xAI charges the higher rate, so from one token more than what is `above`. */
const GROK_LONG = 199_999

/** Where a vendor says "hours" of its cache, one is taken; where it says nothing, five minutes. Seconds. */
const HOUR = 3600
const SHORT = 300

const VENDORS: readonly Vendor[] = [
  {
    host: 'generativelanguage.googleapis.com',
    source: 'https://ai.google.dev/gemini-api/docs/pricing',
    // https://ai.google.dev/gemini-api/docs/openai
    audio: true,
    // Least sizes: https://ai.google.dev/gemini-api/docs/caching
    cache: (id) => automatic(id.startsWith('gemini-2.5') ? 2048 : 4096, SHORT),
    rows: [
      ['gemini-4-neon', MEBI, 65_536, true, true, '2026-11-18', priced(3, 15, 0.15)],
      ['gemini-4-hydrogen', MEBI, 65_536, true, true, '2026-11-18', priced(1.5, 7.5, 0.075)],
      ...['gemini-3.8-flash', 'gemini-3.7-flash', 'gemini-3.6-flash'].flatMap(flash),
      ['gemini-3.5-flash', MEBI, 65_536, true, true, '2026-09-20', priced(1.5, 9)],
      ['gemini-3.5-flash-lite', MEBI, 65_536, true, true, '2026-08-01', priced(0.3, 2.5)],
      ['gemini-3.1-pro-preview', MEBI, 65_536, true, true, '2026-09-20', above(200_000, priced(2, 12), GEMINI_LONG)],
      ['gemini-2.5-pro', MEBI, 65_536, true, true, '2026-09-20', above(200_000, priced(1.25, 10), GEMINI_LONG)],
      ['gemini-2.5-flash', MEBI, 65_536, true, true, '2026-09-20', priced(0.3, 2.5)],
      ['gemini-2.5-flash-lite', MEBI, 65_536, true, true, '2026-07-02', priced(0.1, 0.4)],
    ],
  },
  {
    host: 'api.deepseek.com',
    source: 'https://api-docs.deepseek.com/quick_start/pricing',
    // https://api-docs.deepseek.com/guides/kv_cache: units of 64 tokens, kept for hours.
    cache: () => automatic(64, HOUR, 64),
    // Its peak rates (weekdays 01:00-04:00 and 06:00-10:00 UTC); all other hours cost half. So a bill is never above what is shown.
    rows: [
      ['deepseek-flash', MILLION, 384_000, true, true, '2026-11-15', priced(0.3, 1.2, 0.006)],
      ['deepseek-v4-flash', MILLION, 384_000, true, true, '2026-11-15', priced(0.3, 1.2, 0.006)],
      ['deepseek-v4-pro', MILLION, 384_000, false, true, '2026-11-15', priced(1.32, 3.96, 0.044)],
    ],
  },
  {
    host: 'api.x.ai',
    source: 'https://docs.x.ai/developers/models',
    cache: () => automatic(128, SHORT, 128),
    rows: [
      ['grok-4.7', 500_000, 30_000, true, true, '2026-09-29', above(GROK_LONG, priced(2, 6, 0.5), DOUBLE)],
      ['grok-4.6', 500_000, 30_000, true, true, '2026-09-23', above(GROK_LONG, priced(2, 6, 0.5), DOUBLE)],
      ['grok-4.5', 500_000, 30_000, true, true, '2026-09-23', above(GROK_LONG, priced(2, 6, 0.3), DOUBLE)],
      ['grok-4.3', MILLION, 30_000, true, true, '2026-09-23', above(GROK_LONG, priced(1.25, 2.5, 0.2), DOUBLE)],
      ['grok-build-0.1', 256_000, 256_000, true, true, '2026-09-23', above(GROK_LONG, priced(1, 2, 0.2), DOUBLE)],
    ],
  },
  {
    host: 'api.mistral.ai',
    source: 'https://docs.mistral.ai/inference/pricing',
    rows: [
      ['mistral-large-2512', 262_144, 262_144, true, false, '2026-08-01', priced(0.5, 1.5)],
      ['mistral-medium-3-5', 262_144, 262_144, true, true, '2026-08-01', priced(1.5, 7.5)],
      ['mistral-medium', 262_144, 262_144, true, true, '2026-08-01', priced(1.5, 7.5)],
      ['mistral-small', 256_000, 256_000, true, true, '2026-08-01', priced(0.15, 0.6)],
      ['codestral', 256_000, 4096, false, false, '2026-08-01', priced(0.3, 0.9)],
    ],
  },
  {
    host: 'api.groq.com',
    source: 'https://groq.com/pricing',
    // https://console.groq.com/docs/prompt-caching: 128 to 1,024 tokens, two hours without use.
    cache: (id) => (id.startsWith('openai/') ? automatic(1024, 2 * HOUR) : undefined),
    rows: [
      ['openai/gpt-oss-120b', 131_072, 65_536, false, true, '2026-07-02', priced(0.15, 0.6, 0.075)],
      ['openai/gpt-oss-20b', 131_072, 65_536, false, true, '2026-07-02', priced(0.075, 0.3, 0.0375)],
      ['llama-3.3-70b-versatile', 131_072, 32_768, false, false, '2026-07-02', { input: 0.59, output: 0.79 }],
      ['llama-3.1-8b-instant', 131_072, 131_072, false, false, '2026-07-02', { input: 0.05, output: 0.08 }],
      ['qwen/qwen3-32b', 131_072, 40_960, false, true, '2026-07-02', { input: 0.29, output: 0.59 }],
    ],
  },
]

/** As their makers write them, where that was looked up. */
const NAMES: Readonly<Record<string, string>> = {
  'gemini-4-hydrogen': 'Gemini 4 Hydrogen',
  'gemini-3.8-flash': 'Gemini 3.8 Flash',
  'gemini-3.7-flash': 'Gemini 3.7 Flash',
  'gemini-3.6-flash': 'Gemini 3.6 Flash',
  'gemini-3.5-flash': 'Gemini 3.5 Flash',
  'gemini-3.5-flash-lite': 'Gemini 3.5 Flash-Lite',
  'gemini-3.1-pro-preview': 'Gemini 3.1 Pro Preview',
  'gemini-2.5-pro': 'Gemini 2.5 Pro',
  'gemini-2.5-flash': 'Gemini 2.5 Flash',
  'gemini-2.5-flash-lite': 'Gemini 2.5 Flash-Lite',
  'grok-4.6': 'Grok 4.6',
  'grok-4.5': 'Grok 4.5',
  'grok-4.3': 'Grok 4.3',
  'deepseek-v4-pro': 'DeepSeek V4 Pro',
}

/** Facts of vendors that are reached through OpenAI's format, each at its own host alone. */
export const vendorCatalog: readonly CatalogRow[] = VENDORS.flatMap(({ host, source, rows, cache, audio }) =>
  rows.map(([id, window, maxOutput, vision, reasoning, date, price]) => {
    const more = defined({ name: NAMES[id], audio, cache: cache?.(id) })
    return { host, id, window, maxOutput, vision, reasoning, price, date, source, ...more }
  }),
)
