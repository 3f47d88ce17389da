import { countedInFrame, frameOf } from './frame.ts'
import type { Remainder } from './give-way.ts'
import type { Layer, Placement, Priority } from './layer.ts'
import { type AssemblyLayout, startOf } from './layout.ts'
import { userMessage } from './message.ts'
import { sumTokens } from './priced-turn.ts'
import type { Reason } from './reason.ts'
import { omittedSection, type Section } from './section.ts'
import { madeTokens, type TokenCounter } from './token-counter.ts'
import { isOfferedWith, type ToolDefinition } from './tool-definition.ts'

/** A layer with its placement, its priority, and the cost of each of its forms. */
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

interface PricedForm {
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

/** Throws a `RangeError` for a name that the layout does not know, unless the layer has a placement of its own. */
export function placeLayer(
  layer: Layer,
  layout: AssemblyLayout,
  counter: TokenCounter,
  tools: readonly ConditionalTool[] = [],
): PlacedLayer {
  const frame = layout.fileFrame === 'hashed' ? layer.frame : undefined
  const priced = layer.renditions.map(({ form, text, tokens }) => ({
    form,
    ...framedRendition({ text, tokens: renditionTokens({ text, tokens }, counter) }, frame, counter),
    toolTokens: sumTokens(tools.filter(({ tool }) => isOfferedWith(tool, layer.layer, form))),
  }))
  const fullTokens = priced[0]?.tokens ?? 0
  const names = Object.keys(layout.placements)
  const rank = names.indexOf(layer.layer)
  return {
    layer,
    placement: layer.placement ?? choosePlacement(layer, layout, fullTokens),
    priority: layer.priority ?? layout.priorities[layer.layer] ?? 'normal',
    forms: layer.withheld ? [] : usefulForms(priced),
    fullTokens,
    rank: rank === -1 ? names.length : rank,
  }
}

/** What its frame adds is counted apart, since the cost of a text may be given. */
function framedRendition(
  { text, tokens }: { readonly text: string; readonly tokens: number },
  frame: string | undefined,
  counter: TokenCounter,
) {
  if (frame === undefined || isBlank(text)) return { text, tokens }
  const framed = countedInFrame(frameOf(text, { what: frame, as: 'material' }), text)
  return { text: framed.text, tokens: tokens + madeTokens(counter, framed.added) }
}

/** What one version of a layer costs in a request. */
export function renditionTokens(
  { text, tokens }: { readonly text: string; readonly tokens?: number | undefined },
  counter: TokenCounter,
): number {
  return tokens ?? counter.text(text) + counter.perMessage
}

/** Where a layer is placed, by itself or by the layout. */
export function layerPlacement(layer: Layer, layout: AssemblyLayout, counter: TokenCounter): Placement {
  if (layer.placement) return layer.placement
  const placed = layout.placements[layer.layer]
  return typeof placed === 'string' ? placed : placeLayer(layer, layout, counter).placement
}

function choosePlacement(layer: Layer, layout: AssemblyLayout, tokens: number): Placement {
  const placed = Object.hasOwn(layout.placements, layer.layer) ? layout.placements[layer.layer] : undefined
  if (placed === undefined) {
    throw new RangeError(
      `Layer "${layer.id}": the layout "${layout.name}" does not know the name "${layer.layer}". ` +
        `Give the layer a placement, or use one of ${Object.keys(layout.placements).join(', ')}.`,
    )
  }
  const starts = startOf(placed)
  if (typeof starts === 'string') return starts
  return tokens >= starts.from ? starts.large : starts.small
}

/** A form that saves nothing is not used, and a blank text is no form: omitting the layer costs less and means the same. */
function usefulForms(priced: readonly PricedForm[]): readonly PricedForm[] {
  const useful: PricedForm[] = []
  if (isBlank(priced[0]?.text)) return useful
  for (const form of priced) {
    const before = useful.at(-1)
    if (!before || (!isBlank(form.text) && formCost(form) < formCost(before))) useful.push(form)
  }
  return useful
}

export function formCost({ tokens, toolTokens }: PricedForm): number {
  return tokens + toolTokens
}

function isBlank(text: string | undefined): boolean {
  return text === undefined || text.trim() === ''
}

/** Layers that give way together, and the reason they get. */
export interface LayerGroup {
  readonly placed: readonly PlacedLayer[]
  readonly limit: Reason
}

/**
 * The account of a group's layers at one placement, in the layout's order; those of one name, and those it does not know,
 * in declared order. `remainder` runs over the layers that are not blank, in declared order. What `before` had already taken went for the group's own limit; what went beyond that, for a shortage.
 */
export function layerSections(
  { placed, limit }: LayerGroup,
  placement: Placement,
  remainder: Remainder,
  before: Remainder = remainder,
): readonly Section[] {
  let holder = 0
  const sections = placed.map((layer) => {
    const index = layer.forms.length > 0 ? holder++ : undefined
    if (layer.placement !== placement) return undefined
    if (index === undefined) return layerSection(layer, undefined, layer.layer.withheld ?? { code: 'blank' })
    return layerSection(layer, remainder[index], remainder[index] === before[index] ? limit : { code: 'shortage' })
  })
  return [...placed.keys()]
    .toSorted((one, other) => placed[one]!.rank - placed[other]!.rank)
    .flatMap((index) => sections[index] ?? [])
}

/** `limit` is the reason if the layer is not sent in full. */
function layerSection(placed: PlacedLayer, form: number | undefined, limit: Reason): Section {
  const { layer, placement: slot, fullTokens, forms } = placed
  const origin = layer.origin ?? { kind: 'operator' as const, ref: layer.id }
  const about = { id: layer.id, layer: layer.layer, slot, fullTokens, origin }
  if (form === undefined) return omittedSection({ ...about, reason: limit })
  const chosen = forms[form]!
  const { tokens } = chosen
  const messages = [{ message: userMessage(chosen.text), tokens }]
  const outcome = form === 0 ? 'included' : 'reduced'
  const reason = form === 0 ? layer.because : limit
  const why = reason ? { reason } : {}
  return {
    entry: { id: layer.id, layer: layer.layer, slot, outcome, form: chosen.form, tokens, fullTokens, ...why, origin },
    messages,
  }
}
