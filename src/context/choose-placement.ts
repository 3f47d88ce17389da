import type { AssemblyInput } from './assembly-input.ts'
import type { Layer, Placement } from './layer.ts'
import type { AssemblyLayout } from './layout.ts'
import { layerPlacement } from './placed-layer.ts'
import { placementCost, type PlacementPrice } from './placement.ts'
import { movePrice, PLACED_CALLS, type PlacedCall, placementPrices, type PlacementRules } from './placement-price.ts'

type Placeable = Pick<AssemblyInput, 'layers' | 'layout' | 'counter'>

/** Fewer calls prove nothing. */
const LEAST_CALLS = 5

/** What is known when the beginning of a request is composed. */
export interface PlacementFacts {
  /** The session's last calls, oldest first. */
  readonly calls: readonly PlacedCall[]
  readonly rules: Omit<PlacementRules, 'placements'>
  /**
   * What a cache has and would lose if layers moved: of the call before (`calls.at(-1)`), of this call as it is without a move,
   * or nothing, because the cache is lost anyway.
   */
  readonly loses: PlacedCall | 'nothing'
}

/**
 * The layers, each that the layout places by price at the cheaper of its two places. As many calls are expected as there were, at
 * most 20. What the cache loses by a move is part of its price, and between equal prices a layer stays. Pure.
 */
export function choosePlacements({ layers, layout, counter }: Placeable, facts: PlacementFacts): readonly Layer[] {
  const { calls, rules, loses } = facts
  const last = calls.at(-1)
  if (!last || calls.length < LEAST_CALLS) return layers
  const { placements } = layout
  const prices = placementPrices(calls, { ...rules, placements })
  const expected = Math.min(calls.length, PLACED_CALLS)
  return layers.map((layer) => {
    const places = isFree(layer, layout) ? prices.get(layer.id) : undefined
    if (places?.by !== 'price') return layer
    const cost = (price: PlacementPrice) => placementCost(price) * expected
    const { here, other } = places
    const moving = loses === 'nothing' ? 0 : placementCost(movePrice(layer.id, last, loses, rules))
    const isCheaper = cost(other) + moving * HUNDRED < cost(here)
    return placedAt(layer, isCheaper ? other.placement : here.placement, layout, counter)
  })
}

/** Prices of places are those of a hundred calls. */
const HUNDRED = 100

/** The layers, each that the layout places by price where an earlier call had it. `places`: by their ids. Pure. */
export function keepPlacements(
  { layers, layout, counter }: Placeable,
  places: Readonly<Record<string, Placement>>,
): readonly Layer[] {
  return layers.map((layer) => {
    const place = isFree(layer, layout) && Object.hasOwn(places, layer.id) ? places[layer.id] : undefined
    return place === undefined ? layer : placedAt(layer, place, layout, counter)
  })
}

/** A layer that its source has placed stays there. */
function isFree({ placement, layer }: Layer, { placements }: AssemblyLayout): boolean {
  const place = Object.hasOwn(placements, layer) ? placements[layer] : undefined
  return placement === undefined && typeof place === 'object' && 'between' in place
}

function placedAt(
  layer: Layer,
  placement: Placement,
  layout: AssemblyLayout,
  counter: AssemblyInput['counter'],
): Layer {
  return layerPlacement(layer, layout, counter) === placement ? layer : { ...layer, placement }
}
