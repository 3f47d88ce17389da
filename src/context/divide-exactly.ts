/** Divides an integer by weights: each part is an integer, and their sum is the whole. The largest remainders are rounded up. */
export function divideExactly(whole: number, weights: readonly number[]): readonly number[] {
  const all = weights.reduce((sum, weight) => sum + weight, 0)
  if (all <= 0) return weights.map((_, index) => (index === weights.length - 1 ? whole : 0))
  const exact = weights.map((weight) => (whole * weight) / all)
  const parts = exact.map(Math.floor)
  const missing = whole - parts.reduce((sum, part) => sum + part, 0)
  const order = exact
    .map((value, index) => ({ index, remainder: value - Math.floor(value) }))
    .toSorted((one, other) => other.remainder - one.remainder || one.index - other.index)
  for (let given = 0; given < missing; given += 1) parts[order[given % order.length]!.index]! += 1
  return parts
}
