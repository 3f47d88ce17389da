import type { Remainder } from './give-way.ts'
import type { Placement } from './layer.ts'
import type { ReasonCode } from './reason.ts'
import { userMessage } from './message.ts'
import type { PlacedLayer } from './placed-layer.ts'
import { omitted, type Section } from './section.ts'

/** Layers that give way together, and the reason they do. */
export interface LayerGroup {
  readonly placed: readonly PlacedLayer[]
  readonly limitCode: ReasonCode
}

/**
 * The account of a group's layers at one placement, in the layout's order; those of one name, and those it does not know,
 * in declared order. `remainder` runs over the layers that are not blank, in declared order. What `before` had already taken went for the group's own limit; what went beyond that, for a shortage.
 */
export function layerSections(
  { placed, limitCode }: LayerGroup,
  placement: Placement,
  remainder: Remainder,
  before: Remainder = remainder,
): readonly Section[] {
  let holder = 0
  const sections = placed.map((layer): Section | undefined => {
    const index = layer.forms.length > 0 ? holder++ : undefined
    if (layer.placement !== placement) return undefined
    if (index === undefined) return absentSection(layer)
    const code = remainder[index] === before[index] ? limitCode : 'shortage'
    return layerSection(layer, remainder[index], code)
  })
  return [...placed.keys()]
    .toSorted((one, other) => placed[one]!.rank - placed[other]!.rank)
    .flatMap((index) => sections[index] ?? [])
}

function layerSection(placed: PlacedLayer, form: number | undefined, code: ReasonCode): Section {
  const { layer, placement: slot, fullTokens, forms } = placed
  const origin = layer.origin ?? { kind: 'operator' as const, ref: layer.id }
  const about = { id: layer.id, layer: layer.layer, slot, fullTokens, origin }
  if (form === undefined) return omitted({ ...about, reason: { code } })
  const chosen = forms[form]!
  const { tokens } = chosen
  const messages = [{ message: userMessage(chosen.text), tokens }]
  const outcome = form === 0 ? 'included' : 'reduced'
  const reason = form === 0 ? layer.because : { code }
  const why = reason ? { reason } : {}
  return {
    entry: { id: layer.id, layer: layer.layer, slot, outcome, form: chosen.form, tokens, fullTokens, ...why, origin },
    messages,
  }
}

function absentSection({ layer, placement: slot, fullTokens }: PlacedLayer): Section {
  const origin = layer.origin ?? { kind: 'operator' as const, ref: layer.id }
  return omitted({
    id: layer.id,
    layer: layer.layer,
    slot,
    fullTokens,
    reason: layer.withheld ?? { code: 'blank' },
    origin,
  })
}
