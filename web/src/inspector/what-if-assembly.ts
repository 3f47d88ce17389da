import {
  assemble,
  type Assembly,
  ContextOverflowError,
  type Layer,
  type Manifest,
  type Piece,
  renditionTokens,
  type Scenario,
  scenarioInput,
  smallCounters,
  type TokenCounter,
  tokenx,
} from '../../../src/context.ts'

/** The result of assembling a scenario. */
export interface Assembled {
  readonly manifest: Manifest
  /** Empty where it does not fit. */
  readonly pieces: readonly Piece[]
  /** Why there is no request. */
  readonly overflow?: string
  /** With all their forms and what each costs. */
  readonly layers: readonly PricedLayer[]
  /** The counter of the scenario is not part of the page: its numbers are estimates by another one. */
  readonly estimated: boolean
}

/** A layer with the cost of each of its forms, tokens. */
export interface PricedLayer extends Pick<Layer, 'id' | 'layer'> {
  readonly renditions: readonly { readonly form: string; readonly text: string; readonly tokens: number }[]
}

/** Assembles a scenario as the gateway does. Throws a `RangeError` where it is not valid. */
export function assembleScenario(scenario: Scenario): Assembled {
  const estimated = !counters.some(({ id }) => id === scenario.counter)
  const input = scenarioInput(estimated ? { ...scenario, counter: tokenx.id } : scenario, counters)
  const layers = input.layers.map(({ id, layer, renditions }) => ({
    id,
    layer,
    renditions: renditions.map((one) => ({ ...one, tokens: renditionTokens(one, input.counter) })),
  }))
  try {
    const { manifest, pieces }: Assembly = assemble(input)
    return { manifest, pieces, layers, estimated }
  } catch (error) {
    if (!(error instanceof ContextOverflowError)) throw error
    return { manifest: error.manifest, pieces: [], layers, overflow: error.message, estimated }
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
