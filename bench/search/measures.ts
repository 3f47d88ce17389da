import type { JudgedQuestion } from './judged-collection.ts'

/** nDCG@10: the gains of the first 10 documents, discounted by the logarithm of the rank, relative to the best order. */
export function ndcgAt10(found: readonly string[], { gains }: JudgedQuestion): number {
  const worth = (values: readonly number[]) =>
    values.slice(0, 10).reduce((sum, gain, index) => sum + gain / Math.log2(index + 2), 0)
  const best = worth([...gains.values()].toSorted((a, b) => b - a))
  return best === 0 ? 0 : worth(found.map((id) => gains.get(id) ?? 0)) / best
}

/** Recall@25: the share of the relevant documents that are among the first 25. */
export function recallAt25(found: readonly string[], { gains }: JudgedQuestion): number {
  return found.slice(0, 25).filter((id) => gains.has(id)).length / gains.size
}

export function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}
