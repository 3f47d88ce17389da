import { SearchError } from '../search-error.ts'

/**
 * Checks that what a service gave are vectors: one for each text, all of one length, of numbers.
 *
 * @throws SearchError `embedding`
 */
export function vectorsOf(
  embedder: string,
  given: unknown,
  texts: number,
  dimensions?: number,
): readonly Float32Array[] {
  if (!Array.isArray(given) || given.length !== texts) {
    const count = Array.isArray(given) ? given.length : 'no'
    throw new SearchError(
      'embedding',
      `${embedder} gave ${count} vectors for ${texts} texts: check that it is an embedding model`,
    )
  }
  const length = dimensions ?? (Array.isArray(given[0]) ? given[0].length : 0)
  return given.map((vector: unknown) => {
    if (!Array.isArray(vector) || vector.length === 0 || !vector.every((value) => Number.isFinite(value))) {
      throw new SearchError('embedding', `${embedder} gave what is no vector: check that it is an embedding model`)
    }
    if (vector.length !== length) {
      throw new SearchError(
        'embedding',
        `${embedder} gave a vector of ${vector.length} numbers where ${length} were expected`,
      )
    }
    return Float32Array.from(vector as number[])
  })
}
