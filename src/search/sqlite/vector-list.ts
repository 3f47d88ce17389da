import { setImmediate as pause } from 'node:timers/promises'
import type { Connection } from './connection.ts'
import { type EmbedderRow, readVectors, type VectorBlock } from './vector-table.ts'
import type { Candidate } from './word-list.ts'

/** Finds chunks by their vectors: a plain loop over those of the documents that a question may see. */
export interface VectorList {
  /** The `limit` chunks of these documents that point most nearly the same way as `query`, best first. */
  nearest(query: Float32Array, documents: readonly number[], limits: NearestLimits): Promise<readonly Candidate[]>
  /** What is in memory of these documents, or of all, is no longer so. */
  forget(documents?: Iterable<number>): void
}

export interface NearestLimits {
  readonly limit: number
  /** At most so many of one document. */
  readonly perDocument: number
  /** Only those whose cosine is at least this. */
  readonly floor: number
}

/** How long to read and multiply before others have their turn, ms. */
const SLICE_MS = 5

/** Keeps what it has read in memory, up to `maxBytes`; what was not asked for longest goes first. */
export function vectorList(
  connection: Connection,
  embedderOf: () => EmbedderRow | undefined,
  maxBytes: number,
): VectorList {
  const blocks = new Map<number, VectorBlock>()
  let bytes = 0
  return { nearest, forget }

  async function nearest(
    query: Float32Array,
    documents: readonly number[],
    { limit, perDocument, floor: least }: NearestLimits,
  ) {
    let found: Candidate[] = []
    let floor = least
    let began = performance.now()
    for (const document of documents) {
      const block = blockOf(document)
      if (!block) break
      found.push(...nearestIn(block, query, perDocument, floor))
      // Cut now and then, so that what can no longer be among the best is not even noted.
      if (found.length >= limit * 4) {
        found = bestFirst(found).slice(0, limit)
        floor = found.at(-1)!.value
      }
      if (performance.now() - began < SLICE_MS) continue
      await pause()
      began = performance.now()
    }
    return bestFirst(found).slice(0, limit)
  }

  function forget(documents: Iterable<number> = [...blocks.keys()]): void {
    for (const document of documents) drop(document)
  }

  function blockOf(document: number): VectorBlock | undefined {
    const known = blocks.get(document)
    if (known) {
      blocks.delete(document)
      blocks.set(document, known)
      return known
    }
    const embedder = embedderOf()
    if (!embedder) return undefined
    const block = readVectors(connection, embedder, document)
    blocks.set(document, block)
    bytes += sizeOf(block)
    for (const oldest of blocks.keys()) {
      if (bytes <= maxBytes) break
      drop(oldest)
    }
    return block
  }

  function drop(document: number): void {
    const block = blocks.get(document)
    if (!block) return
    blocks.delete(document)
    bytes -= sizeOf(block)
  }
}

function bestFirst(candidates: readonly Candidate[]): Candidate[] {
  return candidates.toSorted((a, b) => b.value - a.value || a.number - b.number)
}

/** What a block takes in memory, in bytes, with what the map and the objects take. */
function sizeOf(block: VectorBlock): number {
  return block.vectors.byteLength + block.numbers.byteLength + 256
}

/** The best of one document that are above `floor`. */
function nearestIn(
  { numbers, vectors }: VectorBlock,
  query: Float32Array,
  limit: number,
  floor: number,
): readonly Candidate[] {
  const best: Candidate[] = []
  const { length } = query
  for (let index = 0; index < numbers.length; index += 1) {
    const value = product(vectors, index * length, query)
    if (!(value > floor) || (best.length === limit && value <= best.at(-1)!.value)) continue
    if (best.length === limit) best.pop()
    let place = best.length
    while (place > 0 && best[place - 1]!.value < value) place -= 1
    best.splice(place, 0, { number: numbers[index]!, value })
  }
  return best
}

/** The cosine, since both have length 1. */
function product(vectors: Float32Array, offset: number, query: Float32Array): number {
  let sum = 0
  for (let at = 0; at < query.length; at += 1) sum += vectors[offset + at]! * query[at]!
  return sum
}
