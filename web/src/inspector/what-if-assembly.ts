import {
  assemble,
  type Assembly,
  ContextOverflowError,
  type Manifest,
  type Piece,
  type Scenario,
  scenarioInput,
  smallCounters,
  type TokenCounter,
  tokenx,
} from '../../../src/context.ts'

/** What a scenario comes to. */
export interface Assembled {
  readonly manifest: Manifest
  /** Empty where it does not fit. */
  readonly pieces: readonly Piece[]
  /** Why there is no request. */
  readonly overflow?: string
  /** The counter of the scenario is not part of the page: its numbers are estimates by another one. */
  readonly estimated: boolean
}

/** Assembles a scenario as the gateway does. Throws a `RangeError` where it is not valid. */
export function assembleScenario(scenario: Scenario): Assembled {
  const estimated = !counters.some(({ id }) => id === scenario.counter)
  try {
    const input = scenarioInput(estimated ? { ...scenario, counter: tokenx.id } : scenario, counters)
    const { manifest, pieces }: Assembly = assemble(input)
    return { manifest, pieces, estimated }
  } catch (error) {
    if (!(error instanceof ContextOverflowError)) throw error
    return { manifest: error.manifest, pieces: [], overflow: error.message, estimated }
  }
}

/** A slider assembles the same texts again and again: each is counted once. */
const counters: readonly TokenCounter[] = smallCounters.map(remembering)

/** Characters from which a count is worth remembering, and how many texts are remembered. */
const [SHORT, MOST] = [100, 20_000]

function remembering(counter: TokenCounter): TokenCounter {
  const known = new Map<string, number>()
  return {
    ...counter,
    text(text) {
      if (text.length < SHORT) return counter.text(text)
      const before = known.get(text)
      if (before !== undefined) return before
      const tokens = counter.text(text)
      if (known.size >= MOST) known.clear()
      known.set(text, tokens)
      return tokens
    },
  }
}
