import { SearchError } from '../search-error.ts'

/**
 * Checks what a service returned: one vector for each text, all of one length, of finite numbers.
 *
 * @throws SearchError `embedding`
 */
export function checkedVectors(
  embedder: string,
  given: unknown,
  texts: number,
  dimensions?: number,
): readonly Float32Array[] {
  if (!Array.isArray(given) || given.length !== texts) {
    const count = Array.isArray(given) ? given.length : 'no'
    throw new SearchError(
      'embedding',
      `${embedder} returned ${count} vectors for ${texts} texts: check that it is an embedding model`,
    )
  }
  const length = dimensions ?? (Array.isArray(given[0]) ? given[0].length : 0)
  return given.map((vector: unknown) => {
    if (!Array.isArray(vector) || vector.length === 0 || !vector.every((value) => Number.isFinite(value))) {
      throw new SearchError(
        'embedding',
        `${embedder} returned something that is not a vector: check that it is an embedding model`,
      )
    }
    if (vector.length !== length) {
      throw new SearchError(
        'embedding',
        `${embedder} returned a vector of ${vector.length} numbers where ${length} were expected`,
      )
    }
    return Float32Array.from(vector as number[])
  })
}

/**
 * The vector scaled to length 1, so that the product of two is their cosine. A zero vector stays zero.
 *
 * @throws SearchError `embedding` for an empty vector, and for one with a value that is not finite
 */
export function unitVector(vector: Float32Array): Float32Array {
  let squares = 0
  for (const value of vector) squares += value * value
  if (vector.length === 0 || !Number.isFinite(squares)) {
    throw new SearchError('embedding', 'the embedding model returned a vector that is empty or not finite')
  }
  const length = Math.sqrt(squares)
  return length === 0 ? vector.slice() : vector.map((value) => value / length)
}

/** The name of an embedder for people: its id without the options beside the model. */
export function embedderName(id: string): string {
  return id.split(' {', 1)[0]!
}
