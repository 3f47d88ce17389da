import type { CacheRules, ModelFacts, Price } from './model.ts'

/** What is known of one model, when it was looked up, and where. All of them call tools, and can be told not to. */
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

/** The window of a model that nobody knows: small enough for almost every server. A warning is due. */
export const ASSUMED_WINDOW = 8192

/** Facts of a model of a catalog. A dated id, such as `gpt-5.1-2025-11-13`, is the model it begins with. */
export function catalogFacts(rows: readonly CatalogRow[] = [], model: string): ModelFacts | undefined {
  const plain = model.replace(/-(?:\d{8}|\d{4}-\d{2}-\d{2}|latest)$/, '')
  const row = rows.find(({ id }) => id === model || id === plain)
  if (!row) return undefined
  const { window, maxOutput, vision, reasoning, price, cache, date } = row
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
  }
}

/** Facts of a model that is in no catalog and told nothing. Its family says what it can do, not how much it reads. */
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
 * Facts with what somebody knows better laid over them. What was only assumed is worked out again from the window that
 * counts now, so that an assumed window leaves no trace; the longest answer is never longer than the window.
 */
export function withTold(found: ModelFacts, told: Partial<ModelFacts>): ModelFacts {
  const { assumed: before = [], ...rest } = { ...found, ...told }
  const assumed = before.filter((name) => told[name] === undefined)
  const maxOutput = assumed.includes('maxOutput') ? answerRoom(rest.window) : Math.min(rest.maxOutput, rest.window)
  return { ...rest, maxOutput, ...(assumed.length > 0 ? { assumed } : {}) }
}

const LONGEST_ANSWER = 8192

/** The longest answer to count on where nobody said one: a quarter of the window, tokens. */
export function answerRoom(window: number): number {
  return Math.min(LONGEST_ANSWER, Math.floor(window / 4))
}

/** What well-known open families can do, wherever they are served. Their window depends on who serves them. */
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
