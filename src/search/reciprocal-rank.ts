import type { SearchHit, SearchWay } from './engine.ts'

export interface RankedList {
  readonly by: SearchWay
  /** What a place in this list is worth beside the same place in a list of weight 1. */
  readonly weight: number
  /** Best first. */
  readonly candidates: readonly { readonly number: number; readonly value: number }[]
}

export interface Fused {
  readonly number: number
  readonly score: number
  readonly ranks: SearchHit['ranks']
}

/** Of Cormack, Clarke and Büttcher (2009): how little the first places of a list stand above those behind them. */
const K = 60

/**
 * Combines lists whose values cannot be compared by the places they give: each place is worth `weight / (60 + rank)`.
 * Best first; what came first into the index wins a tie.
 */
export function byReciprocalRank(lists: readonly RankedList[]): readonly Fused[] {
  const fused = new Map<number, { score: number; ranks: SearchHit['ranks'][number][] }>()
  for (const { by, weight, candidates } of lists) {
    candidates.forEach(({ number, value }, index) => {
      const one = fused.get(number) ?? { score: 0, ranks: [] }
      fused.set(number, one)
      one.score += weight / (K + index + 1)
      one.ranks.push({ by, rank: index + 1, value })
    })
  }
  return [...fused]
    .map(([number, { score, ranks }]) => ({ number, score, ranks }))
    .toSorted((a, b) => b.score - a.score || a.number - b.number)
}
