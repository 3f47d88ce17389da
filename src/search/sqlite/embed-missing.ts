import type { SqliteConnection } from '../../platform.ts'
import type { Embedder, IndexProgress } from '../engine.ts'
import { SearchError } from '../search-error.ts'
import { unitVector } from '../embedder/vectors.ts'
import { documentNumber, readDocumentText } from './chunk-table.ts'
import { readProgress } from './search-scope.ts'
import { makeEmbedderRow, noteEmbedded, startOver, type Unembedded, unembedded, writeVector } from './vectors.ts'

export interface EmbedMissing {
  readonly connection: SqliteConnection
  readonly embedder: Embedder
  readonly signal: AbortSignal
  readonly onProgress: (progress: IndexProgress) => void
  readonly onWarning: (message: string) => void
  /** The vectors of these documents, or all, have changed. */
  readonly onVectors: (documents?: Iterable<number>) => void
}

/**
 * Computes a vector of this model for every chunk without one. Every batch is stored at once. A text that the model refuses
 * is skipped with a warning; any other failure of the model ends the work.
 *
 * @throws SearchError `embedding`, or what the embedder throws
 */
export async function embedMissing(work: EmbedMissing): Promise<void> {
  const { connection, embedder, signal } = work
  let row = makeEmbedderRow(connection, embedder.id)
  let restarted = false
  let after = -1
  while (!signal.aborted) {
    const chunks = unembedded(connection, row.number, after, embedder.batch)
    if (chunks.length === 0) return
    const vectors = await embedUnlessAborted(work, chunks)
    if (!vectors) return
    after = chunks.at(-1)!.number
    const dimensions = commonLength(vectors) ?? row.dimensions
    if (dimensions !== row.dimensions) {
      if (restarted) throw new SearchError('embedding', `${embedder.id} returns vectors of different lengths`)
      if (row.dimensions !== null) {
        restarted = true
        after = -1
      }
      row = connection.transaction(() => startOver(connection, row, dimensions!))
      work.onVectors()
    }
    const documents = new Set(chunks.map((chunk) => documentNumber(chunk.number)))
    connection.transaction(() => {
      chunks.forEach((chunk, index) => writeVector(connection, row.number, chunk.number, vectors[index]!))
      noteEmbedded(connection, row.number, documents)
    })
    work.onVectors(documents)
    work.onProgress(readProgress(connection, row.number, undefined))
  }
}

/** `undefined` if the work was aborted in the meantime. */
async function embedUnlessAborted(
  work: EmbedMissing,
  chunks: readonly Unembedded[],
): Promise<readonly Float32Array[] | undefined> {
  try {
    return await embedTexts(work, chunks)
  } catch (error) {
    if (work.signal.aborted) return undefined
    throw error
  }
}

/** A refused batch is tried in halves, until the refused text is alone. */
async function embedTexts(work: EmbedMissing, chunks: readonly Unembedded[]): Promise<readonly Float32Array[]> {
  const { embedder, connection, signal } = work
  const texts = chunks.map((chunk) => embeddedText(connection, chunk))
  try {
    const vectors = await embedder.embed(texts, { kind: 'document', signal })
    if (vectors.length !== chunks.length) {
      throw new SearchError('embedding', `${embedder.id} returned ${vectors.length} vectors for ${chunks.length} texts`)
    }
    return vectors.map(unitVector)
  } catch (error) {
    if (!(error instanceof SearchError) || !REFUSALS.has(error.status ?? 0)) throw error
    if (chunks.length > 1) {
      const half = Math.ceil(chunks.length / 2)
      return [...(await embedTexts(work, chunks.slice(0, half))), ...(await embedTexts(work, chunks.slice(half)))]
    }
    work.onWarning(`one text has no vector and is found by its words alone: ${error.message}`)
    return [new Float32Array()]
  }
}

/** The service refused the text: mostly because it is too long. */
const REFUSALS = new Set([400, 413, 422])

/** The text of a chunk below its title and headings, which often name its subject. */
function embeddedText(connection: SqliteConnection, { number, start, end, headings, title }: Unembedded): string {
  const above = [title, ...(JSON.parse(headings) as string[])].filter((line) => line !== '')
  return [...new Set(above), '', readDocumentText(connection, documentNumber(number), start, end)].join('\n').trim()
}

/** @throws SearchError if they differ */
function commonLength(vectors: readonly Float32Array[]): number | undefined {
  const lengths = new Set(vectors.map((vector) => vector.length).filter((length) => length > 0))
  if (lengths.size > 1) throw new SearchError('embedding', 'the embedding model returned vectors of different lengths')
  return [...lengths][0]
}
