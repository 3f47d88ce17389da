import type { CacheRules, Price } from '../context.ts'
import type { ModelFacts } from './model.ts'

/** Facts of one model, with the date and source of the look-up. All of them call tools and accept `toolChoice: none`. */
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

/** Assumed window of an unknown model, tokens: small enough for almost every server. Calls for a warning. */
const ASSUMED_WINDOW = 8192

/** Facts of a model in a catalog. A dated id, such as `gpt-5.1-2025-11-13`, counts as its base model. */
export function catalogFacts(rows: readonly CatalogRow[] = [], model: string): ModelFacts | undefined {
  const plain = model.replace(/-(?:\d{8}|\d{4}-\d{2}-\d{2}|latest)$/, '')
  const row = rows.find(({ id }) => id === model || id === plain)
  if (!row) return undefined
  const { window, maxOutput, vision, reasoning, price, cache, date, source: reference } = row
  return {
    window,
    maxOutput,
    tools: true,
    vision,
    reasoning,
    toolChoiceNone: true,
    price,
    cache,
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
