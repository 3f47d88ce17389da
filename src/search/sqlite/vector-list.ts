import { setImmediate as pause } from 'node:timers/promises'
import type { Connection } from './connection.ts'
import { type EmbedderRow, readVectors, type VectorBlock } from './vector-table.ts'
import type { Candidate } from './word-list.ts'

/** Finds chunks by their vectors: a plain loop over those of the documents that a question may see. */
export interface VectorList {
  /** The chunks of these documents that point the same way as `query`, best first, at most `perDocument` of each. */
  nearest(query: Float32Array, documents: readonly number[], perDocument: number): Promise<readonly Candidate[]>
  /** What is in memory of these documents, or of all, is no longer so. */
  forget(documents?: Iterable<number>): void
}

/** Numbers multiplied before others have their turn: some 5 ms. */
const SLICE = 4_000_000

/** Keeps what it has read in memory, up to `maxBytes`; what was not asked for longest goes first. */
export function vectorList(
  connection: Connection,
  embedderOf: () => EmbedderRow | undefined,
  maxBytes: number,
): VectorList {
  const blocks = new Map<number, VectorBlock>()
  let bytes = 0
  return { nearest, forget }

  async function nearest(query: Float32Array, documents: readonly number[], perDocument: number) {
    const found: Candidate[] = []
    let work = 0
    for (const document of documents) {
      const block = blockOf(document)
      if (!block) break
      found.push(...nearestIn(block, query, perDocument))
      work += block.vectors.length + query.length
      if (work < SLICE) continue
      work = 0
      await pause()
    }
    return found.toSorted((a, b) => b.value - a.value || a.number - b.number)
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

/** What a block takes in memory, in bytes, with what the map and the objects take. */
function sizeOf(block: VectorBlock): number {
  return block.vectors.byteLength + block.numbers.byteLength + 256
}

/** The best of one document, in no order. */
function nearestIn({ numbers, vectors }: VectorBlock, query: Float32Array, limit: number): readonly Candidate[] {
  const best: Candidate[] = []
  const { length } = query
  for (let index = 0; index < numbers.length; index += 1) {
    let value = 0
    const offset = index * length
    for (let at = 0; at < length; at += 1) value += vectors[offset + at]! * query[at]!
    if (!(value > 0) || (best.length === limit && value <= best.at(-1)!.value)) continue
    if (best.length === limit) best.pop()
    let place = best.length
    while (place > 0 && best[place - 1]!.value < value) place -= 1
    best.splice(place, 0, { number: numbers[index]!, value })
  }
  return best
}
