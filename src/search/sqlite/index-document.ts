import type { Clock, SqliteConnection } from '../../platform.ts'
import { eachChunk } from '../chunks.ts'
import type { Chunk, IndexedDocument } from '../search-engine.ts'
import { SearchError } from '../search-error.ts'
import {
  clearChunks,
  clearDocument,
  PER_DOCUMENT,
  type DocumentPiece,
  splitIntoPieces,
  joinWords,
  writeChunk,
  writePiece,
} from './chunk-table.ts'
import {
  beginDocument,
  describeDocument,
  isDescribed,
  publishDocument,
  readyDocument,
  strayDocuments,
  withdrawDocument,
} from './document-table.ts'

/** Steps of one transaction: about 10 ms, then other work may run. */
const STEPS = 32
/** Chunks that one transaction removes. */
const CLEARED = 128
/** Characters of a title that are indexed. */
const LONGEST_TITLE = 1_000

/**
 * Indexes a document in batches. Queries find it once it is complete, and the previous version until then. An interrupted
 * version, even after a kill, is never found, and is removed later.
 */
export async function indexDocument(
  clock: Clock,
  connection: SqliteConnection,
  given: IndexedDocument,
  { signal, closing }: Limits,
): Promise<void> {
  const document = { ...given, title: given.title.toWellFormed(), text: given.text.toWellFormed() }
  const known = readyDocument(connection, document.id)
  if (known?.digest === document.digest && known.title === document.title) {
    if (!isDescribed(connection, known, document)) {
      connection.transaction(() => describeDocument(connection, known.number, document))
    }
    return
  }
  const clearStrays = () => clearVersions(clock, connection, strayDocuments(connection, document.id), closing)
  await clearStrays()
  try {
    await write(clock, connection, document, [closing, ...(signal ? [signal] : [])])
  } finally {
    await clearStrays()
  }
}

/** Signals that end the work early. */
export interface Limits {
  /** The caller aborts: the unfinished version is removed. */
  readonly signal: AbortSignal | undefined
  /** The index closes: the unfinished version is left for the next start. */
  readonly closing: AbortSignal
}

/** Removes a document. Returns whether it was there. */
export async function removeDocument(
  clock: Clock,
  connection: SqliteConnection,
  id: string,
  closing: AbortSignal,
): Promise<boolean> {
  const found = connection.transaction(() => withdrawDocument(connection, id))
  await clearVersions(clock, connection, strayDocuments(connection, id), closing)
  return found
}

/** Removes versions that no query finds. */
export async function clearVersions(
  clock: Clock,
  connection: SqliteConnection,
  documents: readonly number[],
  closing: AbortSignal,
): Promise<void> {
  for (const document of documents) {
    while (!closing.aborted && connection.transaction(() => clearChunks(connection, document, CLEARED)))
      await clock.yield()
    if (closing.aborted) return
    connection.transaction(() => clearDocument(connection, document))
  }
}

async function write(
  clock: Clock,
  connection: SqliteConnection,
  document: IndexedDocument,
  limits: readonly AbortSignal[],
): Promise<void> {
  const steps = indexSteps(document)
  const title = joinWords(document.title.slice(0, LONGEST_TITLE))
  let number: number | undefined
  let chunks = 0
  for (let batch = takeBatch(steps, STEPS); ; batch = takeBatch(steps, STEPS)) {
    connection.transaction(() => {
      number ??= beginDocument(connection, document)
      for (const { piece, chunk } of batch) {
        if (piece) writePiece(connection, number, piece)
        else if (chunks >= PER_DOCUMENT)
          throw new SearchError('invalid', 'the document is too large to index: divide it')
        else writeChunk(connection, number, chunks++, title, chunk)
      }
      if (batch.length < STEPS) publishDocument(connection, number, chunks, document)
    })
    if (batch.length < STEPS) return
    await clock.yield()
    for (const limit of limits) limit.throwIfAborted()
  }
}

type Step =
  | { readonly piece: DocumentPiece; readonly chunk?: never }
  | { readonly chunk: Chunk; readonly piece?: never }

function* indexSteps({ text, pages }: IndexedDocument): Generator<Step> {
  for (const piece of splitIntoPieces(text)) yield { piece }
  for (const chunk of eachChunk(text, pages && { pages })) yield { chunk }
}

function takeBatch<Item>(items: Generator<Item>, count: number): readonly Item[] {
  const taken: Item[] = []
  while (taken.length < count) {
    const next = items.next()
    if (next.done) break
    taken.push(next.value)
  }
  return taken
}
