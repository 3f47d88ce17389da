import { type Clock, defined, errorMessage, serialQueue, type SqliteConnection } from '../../platform.ts'
import type { Embedder, IndexProgress, MeaningSettings, SearchEngine } from '../engine.ts'
import { SearchError } from '../search-error.ts'
import { createSearchTables, openIndexFile } from './index-file.ts'
import { listDocuments, readyDocument, setCollections, strayDocuments } from './document-table.ts'
import { embedMissing } from './embed-missing.ts'
import { clearVersions, indexDocument, removeDocument } from './index-document.ts'
import { readDocumentText } from './chunk-table.ts'
import { noiseFloor } from './noise-floor.ts'
import { readProgress, scopeReader } from './search-scope.ts'
import { searchDocuments } from './search-documents.ts'
import { embedderRow, vectorList } from './vectors.ts'

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
