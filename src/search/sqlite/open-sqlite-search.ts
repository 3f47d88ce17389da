import { type Clock, defined, errorMessage, serialQueue, type SqliteConnection } from '../../platform.ts'
import type { Embedder, IndexProgress, MeaningSettings, SearchEngine } from '../search-engine.ts'
import { SearchError } from '../search-error.ts'
import { createSearchTables, openIndexFile } from './index-file.ts'
import { listDocuments, readyDocument, setCollections, strayDocuments } from './document-table.ts'
import { clearVersions, indexDocument, removeDocument } from './index-document.ts'
import { readDocumentText, documentNumber } from './chunk-table.ts'
import { noiseFloor } from './noise-floor.ts'
import { readProgress, scopeReader } from './search-scope.ts'
import { searchDocuments } from './search-documents.ts'
import {
  embedderRow,
  vectorList,
  makeEmbedderRow,
  noteEmbedded,
  startOver,
  type Unembedded,
  unembedded,
  writeVector,
} from './vectors.ts'
import { unitVector } from '../embedder/vectors.ts'

export interface SqliteSearchOptions {
  /** The file of the index, created with its folder if missing; `:memory:` keeps everything in memory. It can be deleted and built again. */
  readonly path: string
  readonly clock: Clock
  /** Without one, documents are found by words alone. */
  readonly embedder?: Embedder
  readonly meaning?: MeaningSettings
  /** Opens the index for queries only, beside the process that writes it. */
  readonly readOnly?: boolean
  /** How long the vector of a query may take before it is answered by words alone, ms. 3,000 unless given. */
  readonly embedderTimeoutMs?: number
  /** Memory for vectors, bytes. Further vectors are read from the file each time. 256 MiB unless given. */
  readonly maxVectorBytes?: number
  /** How long to wait for another process that writes, ms; this process is blocked meanwhile. 5,000 unless given. */
  readonly busyTimeoutMs?: number
  /** Receives problems that are not failures, such as a query that was answered by words alone. */
  readonly onWarning?: (message: string) => void
}

const DEFAULT_EMBEDDER_TIMEOUT_MS = 3_000
const DEFAULT_WEIGHT = 0.1
const DEFAULT_VECTOR_BYTES = 256 * 1024 * 1024

/**
 * Opens a search index in a SQLite file: full text with BM25, vectors in a plain loop, both combined by reciprocal rank. One
 * process writes, others may read beside it. Indexing lets other work run every few milliseconds.
 *
 * @throws SearchError
 */
export async function openSqliteSearch(options: SqliteSearchOptions): Promise<SearchEngine> {
  const { clock, embedder, onWarning = () => {} } = options
  const connection = openIndexFile(options)
  prepare(connection, onWarning)
  const closing = new AbortController()
  const currentEmbedder = () => (embedder ? embedderRow(connection, embedder.id) : undefined)
  const vectors = vectorList(clock, connection, currentEmbedder, options.maxVectorBytes ?? DEFAULT_VECTOR_BYTES)
  /** Why the last call of the embedding model failed. */
  let fault: string | undefined
  const progress = (collections?: readonly string[]): IndexProgress => ({
    ...readProgress(connection, currentEmbedder()?.number, collections),
    ...defined({ degraded: fault }),
  })
  const noise = embedder && noiseFloor(connection, vectors, embedder, currentEmbedder)
  const readScope = scopeReader(connection)
  const writes = writeQueue(closing.signal, connection.path)
  const embeddings = writeQueue(closing.signal, connection.path)
  if (!connection.readOnly) {
    // A failing disk fails the next write too, and that one reports it.
    void writes.add(() => clearVersions(clock, connection, strayDocuments(connection), closing.signal)).catch(() => {})
  }

  return {
    index: (document, { signal } = {}) =>
      writes.add(async () => {
        signal?.throwIfAborted()
        const before = readyDocument(connection, document.id)
        await indexDocument(clock, connection, document, { signal, closing: closing.signal })
        if (before) vectors.forget([before.number])
        // A long series of documents must not block all other work.
        await clock.yield()
      }),
    assign: (document, collections) =>
      writes.add(async () => {
        const known = readyDocument(connection, document) !== undefined
        if (known) connection.transaction(() => setCollections(connection, document, collections))
        return known
      }),
    remove: (document) =>
      writes.add(async () => {
        const before = readyDocument(connection, document)
        if (before) vectors.forget([before.number])
        return removeDocument(clock, connection, document, closing.signal)
      }),
    search: (query) =>
      searchDocuments(
        {
          clock,
          connection,
          readScope,
          vectors,
          embedder,
          meaning: { weight: DEFAULT_WEIGHT, ...options.meaning },
          noise,
          currentEmbedder,
          embedderTimeoutMs: options.embedderTimeoutMs ?? DEFAULT_EMBEDDER_TIMEOUT_MS,
          closing: closing.signal,
          onWarning,
          onModel: (why) => (fault = why),
        },
        query,
      ),
    async read(document, { start, characters }) {
      const row = readyDocument(connection, document)
      if (!row) return undefined
      const from = Math.max(0, Math.floor(start))
      return readDocumentText(
        connection,
        row.number,
        from,
        Math.min(row.length, from + Math.max(0, Math.floor(characters))),
      )
    },
    embedMissing: ({ signal, onProgress = () => {} } = {}) =>
      embeddings.add(async () => {
        const limits = signal ? AbortSignal.any([closing.signal, signal]) : closing.signal
        if (embedder) {
          const onVectors = (documents?: Iterable<number>) => vectors.forget(documents)
          try {
            await embedMissing({ connection, embedder, signal: limits, onProgress, onWarning, onVectors })
            fault = undefined
          } catch (error) {
            fault = errorMessage(error)
            throw error
          }
        }
        return progress()
      }),
    async progress(collections) {
      return progress(collections)
    },
    async documents() {
      return listDocuments(connection)
    },
    async close() {
      closing.abort(closedError(connection.path))
      await writes.idle()
      await embeddings.idle()
      connection.close()
    },
  }
}

function prepare(connection: SqliteConnection, onWarning: (message: string) => void): void {
  try {
    if (createSearchTables(connection)) {
      onWarning(`the search index ${connection.path} was written by another version of Foreword and is built again`)
    }
  } catch (error) {
    connection.close()
    throw error
  }
}

function closedError(path: string): SearchError {
  return new SearchError('closed', `the search index ${path} is closed`)
}

/** Runs one work after another. Work that has not begun when the index closes is rejected. */
function writeQueue(closing: AbortSignal, path: string): ReturnType<typeof serialQueue> {
  const { add, idle } = serialQueue()
  return {
    idle,
    add: (work) =>
      add(() => {
        if (closing.aborted) throw closedError(path)
        return work()
      }),
  }
}

interface EmbedMissing {
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
async function embedMissing(work: EmbedMissing): Promise<void> {
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
