import { setImmediate as pause } from 'node:timers/promises'
import { errorMessage } from '../../platform.ts'
import type { Embedder, IndexProgress, MeaningSettings, SearchEngine } from '../engine.ts'
import { SearchError } from '../search-error.ts'
import { type Connection, openConnection } from './connection.ts'
import { documentsOf, readyDocument, setCollections, strayDocuments } from './document-table.ts'
import { embedMissing } from './embed-missing.ts'
import { clear, indexDocument, removeDocument } from './index-document.ts'
import { readText } from './piece-table.ts'
import { noiseFloor } from './noise-floor.ts'
import { progressOf } from './progress.ts'
import { searchIn } from './search-in.ts'
import { sights } from './sight.ts'
import { makeTables } from './tables.ts'
import { embedderRow } from './vector-table.ts'
import { vectorList } from './vector-list.ts'

export interface SqliteSearchOptions {
  /** A file of its own, made with its folder when missing; `:memory:` keeps everything in memory. It can be deleted and built anew. */
  readonly path: string
  /** Without one, documents are found by their words alone. */
  readonly embedder?: Embedder
  readonly meaning?: MeaningSettings
  /** For who only asks, beside the process that indexes. */
  readonly readOnly?: boolean
  /** How long the vector of a question may take before its words have to do, ms. 3,000 unless given. */
  readonly embedderTimeoutMs?: number
  /** How much memory vectors may take, in bytes. What is beyond it is read from the file each time. 256 MiB unless given. */
  readonly maxVectorBytes?: number
  /** How long to wait for another process that writes, ms. The process stands still meanwhile. 5,000 unless given. */
  readonly busyTimeoutMs?: number
  /** What went wrong without failing: a question that was answered by words alone, say. */
  readonly onWarning?: (message: string) => void
}

const DEFAULT_EMBEDDER_TIMEOUT_MS = 3_000
const DEFAULT_WEIGHT = 0.1
const DEFAULT_VECTOR_BYTES = 256 * 1024 * 1024

/**
 * A search index in a SQLite file: full text with BM25, vectors in a plain loop, both combined by reciprocal rank. One
 * process writes, others may read beside it. Indexing gives way to other work every few milliseconds.
 *
 * @throws SearchError
 */
export async function openSqliteSearch(options: SqliteSearchOptions): Promise<SearchEngine> {
  const { embedder, onWarning = () => {} } = options
  const connection = openConnection(options)
  prepare(connection, onWarning)
  const closing = new AbortController()
  const currentEmbedder = () => (embedder ? embedderRow(connection, embedder.id) : undefined)
  const vectors = vectorList(connection, currentEmbedder, options.maxVectorBytes ?? DEFAULT_VECTOR_BYTES)
  /** Why the embedding model could not be used when it was asked last. */
  let fault: string | undefined
  const progress = (collections?: readonly string[]): IndexProgress => ({
    ...progressOf(connection, currentEmbedder()?.number, collections),
    ...(fault !== undefined && { degraded: fault }),
  })
  const noise = embedder && noiseFloor(connection, vectors, embedder, currentEmbedder)
  const sightOf = sights(connection)
  const inTurn = oneAfterAnother(closing.signal, connection.path)
  const embedInTurn = oneAfterAnother(closing.signal, connection.path)
  if (!connection.readOnly) {
    // A disk that refuses will refuse the next write too, and that one has somebody to tell.
    void inTurn(() => clear(connection, strayDocuments(connection), closing.signal)).catch(() => {})
  }

  return {
    index: (document, { signal } = {}) =>
      inTurn(async () => {
        signal?.throwIfAborted()
        const before = readyDocument(connection, document.id)
        await indexDocument(connection, document, { signal, closing: closing.signal })
        if (before) vectors.forget([before.number])
        // Whoever hands in one document after the other must not keep all others waiting.
        await pause()
      }),
    assign: (document, collections) =>
      inTurn(async () => {
        const known = readyDocument(connection, document) !== undefined
        if (known) connection.transaction(() => setCollections(connection, document, collections))
        return known
      }),
    remove: (document) =>
      inTurn(async () => {
        const before = readyDocument(connection, document)
        if (before) vectors.forget([before.number])
        return removeDocument(connection, document, closing.signal)
      }),
    search: (query) =>
      searchIn(
        {
          connection,
          sightOf,
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
      return readText(connection, row.number, from, Math.min(row.length, from + Math.max(0, Math.floor(characters))))
    },
    embedMissing: ({ signal, onProgress = () => {} } = {}) =>
      embedInTurn(async () => {
        const limits = AbortSignal.any([closing.signal, ...(signal ? [signal] : [])])
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
      return documentsOf(connection)
    },
    async close() {
      closing.abort(closedError(connection.path))
      await inTurn.idle()
      await embedInTurn.idle()
      connection.close()
    },
  }
}

function prepare(connection: Connection, onWarning: (message: string) => void): void {
  try {
    if (makeTables(connection)) {
      onWarning(`the search index ${connection.path} was written by another version of Foreword and is built anew`)
    }
  } catch (error) {
    connection.close()
    throw error
  }
}

function closedError(path: string): SearchError {
  return new SearchError('closed', `the search index ${path} is closed`)
}

interface InTurn {
  <Result>(work: () => Promise<Result>): Promise<Result>
  /** Resolves when nothing runs. */
  idle(): Promise<void>
}

/** Lets one work run after the other. What has not begun when the index is closed never does. */
function oneAfterAnother(closing: AbortSignal, path: string): InTurn {
  let last: Promise<unknown> = Promise.resolve()
  const inTurn = <Result>(work: () => Promise<Result>): Promise<Result> => {
    const mine = last.then(() => {
      if (closing.aborted) throw closedError(path)
      return work()
    })
    last = mine.catch(() => {})
    return mine
  }
  return Object.assign(inTurn, { idle: async () => void (await last) })
}
