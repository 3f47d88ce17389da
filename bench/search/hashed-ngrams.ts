import type { Embedder } from '../../src/search.ts'

const DIMENSIONS = 384

/**
 * Groups of three to five letters, hashed into a vector, without a language model. It compares spellings, not meanings, so
 * search by vectors can be measured anywhere with the same result.
 */
export const hashedNgrams: Embedder = {
  id: `hashed-ngrams/${DIMENSIONS}`,
  batch: 256,
  embed: async (texts) => texts.map(vectorOf),
}

function vectorOf(text: string): Float32Array {
  const vector = new Float32Array(DIMENSIONS)
  for (const word of text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []) {
    const marked = `<${word}>`
    for (const length of [2, 3, 4, 5]) {
      for (let at = 0; at + length <= marked.length; at += 1) add(vector, marked.slice(at, at + length))
    }
  }
  return vector.map((value) => Math.sign(value) * Math.sqrt(Math.abs(value)))
}

/** Half of the groups count negative, so that groups with the same position do not all add up. */
function add(vector: Float32Array, group: string): void {
  let hash = 0x811c9dc5
  for (let at = 0; at < group.length; at += 1) hash = Math.imul(hash ^ group.charCodeAt(at), 0x01000193)
  hash ^= hash >>> 15
  const place = (hash >>> 1) % DIMENSIONS
  vector[place] = vector[place]! + (hash & 1 ? 1 : -1)
}
