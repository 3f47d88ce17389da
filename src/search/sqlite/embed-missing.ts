import type { Embedder, IndexProgress } from '../engine.ts'
import { SearchError } from '../search-error.ts'
import { unitVector } from '../unit-vector.ts'
import type { Connection } from './connection.ts'
import { documentOf } from './numbering.ts'
import { readText } from './piece-table.ts'
import { progressOf } from './progress.ts'
import { makeEmbedderRow, noteEmbedded, startOver, type Unembedded, unembedded, writeVector } from './vector-table.ts'

export interface EmbedMissing {
  readonly connection: Connection
  readonly embedder: Embedder
  readonly signal: AbortSignal
  readonly onProgress: (progress: IndexProgress) => void
  readonly onWarning: (message: string) => void
  /** The vectors of these documents, or all, are others now. */
  readonly onVectors: (documents?: Iterable<number>) => void
}

/**
 * Gives a vector to every chunk that has none of this model. What was computed is kept, whatever happens next. A text
 * that the model does not take is passed over and warned of; a model that fails otherwise ends the work.
 *
 * @throws SearchError `embedding`, or whatever else the embedder throws
 */
export async function embedMissing(work: EmbedMissing): Promise<void> {
  const { connection, embedder, signal } = work
  let row = makeEmbedderRow(connection, embedder.id)
  let restarted = false
  let after = -1
  while (!signal.aborted) {
    const chunks = unembedded(connection, row.number, after, embedder.batch)
    if (chunks.length === 0) return
    const vectors = await vectorsOf(work, chunks)
    if (!vectors) return
    after = chunks.at(-1)!.number
    const dimensions = lengthOf(vectors) ?? row.dimensions
    if (dimensions !== row.dimensions) {
      if (restarted) throw new SearchError('embedding', `${embedder.id} gives vectors of different lengths`)
      if (row.dimensions !== null) {
        restarted = true
        after = -1
      }
      row = connection.transaction(() => startOver(connection, row, dimensions!))
      work.onVectors()
    }
    const documents = new Set(chunks.map((chunk) => documentOf(chunk.number)))
    connection.transaction(() => {
      chunks.forEach((chunk, index) => writeVector(connection, row.number, chunk.number, vectors[index]!))
      noteEmbedded(connection, row.number, documents)
    })
    work.onVectors(documents)
    work.onProgress(progressOf(connection, row.number, undefined))
  }
}

/** `undefined` when the work was called off meanwhile. */
async function vectorsOf(
  work: EmbedMissing,
  chunks: readonly Unembedded[],
): Promise<readonly Float32Array[] | undefined> {
  try {
    return await embedded(work, chunks)
  } catch (error) {
    if (work.signal.aborted) return undefined
    throw error
  }
}

/** A batch that is refused is tried in halves, until the one text that is to blame stands alone. */
async function embedded(work: EmbedMissing, chunks: readonly Unembedded[]): Promise<readonly Float32Array[]> {
  const { embedder, connection, signal } = work
  const texts = chunks.map((chunk) => textOf(connection, chunk))
  try {
    const vectors = await embedder.embed(texts, { kind: 'document', signal })
    if (vectors.length !== chunks.length) {
      throw new SearchError('embedding', `${embedder.id} gave ${vectors.length} vectors for ${chunks.length} texts`)
    }
    return vectors.map(unitVector)
  } catch (error) {
    if (!(error instanceof SearchError) || !REFUSALS.has(error.status ?? 0)) throw error
    if (chunks.length > 1) {
      const half = Math.ceil(chunks.length / 2)
      return [...(await embedded(work, chunks.slice(0, half))), ...(await embedded(work, chunks.slice(half)))]
    }
    work.onWarning(`one text has no vector and is found by its words alone: ${error.message}`)
    return [new Float32Array()]
  }
}

/** The service understood the question and did not like the text: too long, mostly. */
const REFUSALS = new Set([400, 413, 422])

/** What a chunk is about is often said only above it. */
function textOf(connection: Connection, { number, start, end, headings, title }: Unembedded): string {
  const above = [title, ...(JSON.parse(headings) as string[])].filter((line) => line !== '')
  return [...new Set(above), '', readText(connection, documentOf(number), start, end)].join('\n').trim()
}

/** @throws SearchError where they differ */
function lengthOf(vectors: readonly Float32Array[]): number | undefined {
  const lengths = new Set(vectors.map((vector) => vector.length).filter((length) => length > 0))
  if (lengths.size > 1) throw new SearchError('embedding', 'the embedding model gave vectors of different lengths')
  return [...lengths][0]
}
