import type { Placement } from './layer.ts'

/** What a layer costs at one place, in a hundred calls like the last ones of its session. */
export interface PlacementPrice {
  readonly placement: Placement
  /** Tokens that are sent in full: the layer itself, and what the cache loses because of it. */
  readonly full: number
  /** Tokens that are read from the cache. Below 0 where the cache loses more than the layer has. */
  readonly cached: number
  /** US dollars, if the price is known. */
  readonly money?: number
}

/** What a layer costs where it is, and what it would cost at its other place. */
export interface PlacementPrices {
  readonly here: PlacementPrice
  readonly other: PlacementPrice
  /** What decided: the layout, or these prices. */
  readonly by: 'layout' | 'price'
}

/** What a place costs, to compare it with another: nano-dollars, or tenths of a token where no price is known. */
export function placementCost({ full, cached, money }: PlacementPrice): number {
  return money === undefined ? full * CACHED_SHARE + cached : Math.round(money * NANO)
}

/** So many cached tokens count as one that is sent in full, where no price is known. */
const CACHED_SHARE = 10

/** Nano-dollars of a dollar. */
export const NANO = 1_000_000_000
