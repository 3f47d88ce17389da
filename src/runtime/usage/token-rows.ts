import type { LayerUsageRow, ToolUsageRow } from '../../capability.ts'
import type { PromptParts, ToolSum } from '../../session.ts'

/** Adds up tokens by name, and the calls that had some. */
export interface TokenAdder {
  /** `calls`: so many calls had these tokens. */
  add(tokens: Readonly<Record<string, number>>, calls: number): void
  /** The largest first. */
  rows(): readonly LayerUsageRow[]
}

export function createTokenAdder(): TokenAdder {
  const sums = new Map<string, { calls: number; tokens: number }>()
  return {
    add(tokens, calls) {
      for (const [name, own] of Object.entries(tokens)) {
        const sum = sums.get(name) ?? { calls: 0, tokens: 0 }
        sum.calls += calls
        sum.tokens += own * calls
        sums.set(name, sum)
      }
    },
    rows: () => [...sums].map(([key, sum]) => ({ key, ...sum })).toSorted((one, other) => other.tokens - one.tokens),
  }
}

/** The same tools are offered in call after call: they are added up once for all of them. */
export function addToolDefinitions(adder: TokenAdder, calls: readonly { readonly parts?: PromptParts }[]): void {
  const times = new Map<PromptParts['tools'], number>()
  for (const { parts } of calls) if (parts) times.set(parts.tools, (times.get(parts.tools) ?? 0) + 1)
  for (const [tools, count] of times) adder.add(tools, count)
}

/** Tools that were offered, and tools that only gave results. What took most tokens comes first. */
export function toolUsageRows(offered: readonly LayerUsageRow[], given: readonly ToolSum[]): readonly ToolUsageRow[] {
  const definitions = new Map(offered.map((row) => [row.key, row]))
  const results = new Map(given.map((sum) => [sum.tool, sum]))
  const names = [...new Set([...definitions.keys(), ...results.keys()])]
  return names
    .map((key) => ({
      key,
      calls: definitions.get(key)?.calls ?? 0,
      definitions: definitions.get(key)?.tokens ?? 0,
      results: results.get(key)?.results ?? 0,
      resultTokens: results.get(key)?.tokens ?? 0,
    }))
    .toSorted((one, other) => other.definitions + other.resultTokens - one.definitions - one.resultTokens)
}
