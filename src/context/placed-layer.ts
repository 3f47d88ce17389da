import type { Layer, Placement, Priority } from './layer.ts'
import type { Layout } from './layout.ts'
import { sumTokens } from './priced-turn.ts'
import type { TokenCounter } from './token-counter.ts'
import { isOfferedWith, type ToolDefinition } from './tool-definition.ts'

/** A layer that knows where it stands, how hard it holds on and what each of its forms costs. */
export interface PlacedLayer {
  readonly layer: Layer
  readonly placement: Placement
  readonly priority: Priority
  /** Fullest first, each cheaper than the one before, its tools included. Empty: the layer is blank, or withheld. */
  readonly forms: readonly PricedForm[]
  readonly fullTokens: number
  /** Where the layout has it among the layers of its slot; names that it does not know come last. */
  readonly rank: number
}

export interface PricedForm {
  readonly form: string
  readonly text: string
  readonly tokens: number
  /** Of the tools that are offered with it, tokens: they come and go with it. */
  readonly toolTokens: number
}

/** A tool that is offered only with a layer, and what it costs. */
export interface ConditionalTool {
  readonly tool: ToolDefinition
  readonly tokens: number
}

/** Throws a `RangeError` for a name that the layout does not know, unless the layer says where it stands. */
export function placeLayer(
  layer: Layer,
  layout: Layout,
  counter: TokenCounter,
  tools: readonly ConditionalTool[] = [],
): PlacedLayer {
  const priced = layer.renditions.map(({ form, text, tokens }) => ({
    form,
    text,
    tokens: tokens ?? counter.text(text) + counter.perMessage,
    toolTokens: sumTokens(tools.filter(({ tool }) => isOfferedWith(tool, layer.layer, form))),
  }))
  const fullTokens = priced[0]?.tokens ?? 0
  return {
    layer,
    placement: layer.placement ?? placementOf(layer, layout, fullTokens),
    priority: layer.priority ?? layout.priorities[layer.layer] ?? 'normal',
    forms: layer.withheld ? [] : usefulForms(priced),
    fullTokens,
    rank: rankOf(layer, layout),
  }
}

function rankOf({ layer }: Layer, { placements }: Layout): number {
  const names = Object.keys(placements)
  const rank = names.indexOf(layer)
  return rank === -1 ? names.length : rank
}

function placementOf(layer: Layer, layout: Layout, tokens: number): Placement {
  const placed = Object.hasOwn(layout.placements, layer.layer) ? layout.placements[layer.layer] : undefined
  if (placed === undefined) {
    throw new RangeError(
      `Layer "${layer.id}": the layout "${layout.name}" does not know the name "${layer.layer}". ` +
        `Give the layer a placement, or use one of ${Object.keys(layout.placements).join(', ')}.`,
    )
  }
  if (typeof placed === 'string') return placed
  return tokens >= placed.from ? placed.large : placed.small
}

/** A form that saves nothing is not used, and a blank text is no form: leaving out says the same for less. */
function usefulForms(priced: readonly PricedForm[]): readonly PricedForm[] {
  const useful: PricedForm[] = []
  if (isBlank(priced[0]?.text)) return useful
  for (const form of priced) {
    const before = useful.at(-1)
    if (!before || (!isBlank(form.text) && costOf(form) < costOf(before))) useful.push(form)
  }
  return useful
}

/** What a form costs with its tools. */
export function costOf({ tokens, toolTokens }: PricedForm): number {
  return tokens + toolTokens
}

function isBlank(text: string | undefined): boolean {
  return text === undefined || text.trim() === ''
}
