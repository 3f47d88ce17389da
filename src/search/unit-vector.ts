import { SearchError } from './search-error.ts'

/**
 * The vector with length 1, so that a product of two tells how alike they are. Without direction it stays all zeros.
 *
 * @throws SearchError `embedding` when it holds what is no number
 */
export function unitVector(vector: Float32Array): Float32Array {
  let squares = 0
  for (const value of vector) squares += value * value
  if (vector.length === 0 || !Number.isFinite(squares)) {
    throw new SearchError('embedding', 'the embedding model gave a vector that is empty or holds what is no number')
  }
  const length = Math.sqrt(squares)
  return length === 0 ? vector.slice() : vector.map((value) => value / length)
}
