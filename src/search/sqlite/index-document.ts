import { setImmediate as pause } from 'node:timers/promises'
import { eachChunk } from '../chunks-of.ts'
import type { Chunk, IndexedDocument } from '../engine.ts'
import { SearchError } from '../search-error.ts'
import { clearChunks, clearDocument, spaced, writeChunk } from './chunk-table.ts'
import type { Connection } from './connection.ts'
import {
  beginDocument,
  describeDocument,
  isDescribed,
  publishDocument,
  readyDocument,
  strayDocuments,
  withdrawDocument,
} from './document-table.ts'
import { PER_DOCUMENT } from './numbering.ts'
import { type Piece, piecesOf, writePiece } from './piece-table.ts'

/** What is written in one transaction: some 10 ms, then others have their turn. */
const STEPS = 32
/** What is cleared away in one transaction. */
const CLEARED = 128
/** Of a title, what is indexed. */
const LONGEST_TITLE = 1_000

/**
 * Puts a document in, batch by batch. It is found once all of it is there; until then the version before is. What was
 * broken off, by a kill too, is found by nobody and cleared away later.
 */
export async function indexDocument(
  connection: Connection,
  handedIn: IndexedDocument,
  { signal, closing }: Limits,
): Promise<void> {
  const document = wellFormed(handedIn)
  const known = readyDocument(connection, document.id)
  if (known?.digest === document.digest && known.title === document.title) {
    if (!isDescribed(connection, known, document)) {
      connection.transaction(() => describeDocument(connection, known.number, document))
    }
    return
  }
  const clearStrays = () => clear(connection, strayDocuments(connection, document.id), closing)
  await clearStrays()
  try {
    await write(connection, document, [closing, ...(signal ? [signal] : [])])
  } finally {
    await clearStrays()
  }
}

/** What ends work before it is done. */
export interface Limits {
  /** The caller has had enough: what was begun is cleared away. */
  readonly signal: AbortSignal | undefined
  /** The index is being closed: what was begun is left for the next time. */
  readonly closing: AbortSignal
}

/** Takes a document out. Answers whether it was there. */
export async function removeDocument(connection: Connection, id: string, closing: AbortSignal): Promise<boolean> {
  const found = connection.transaction(() => withdrawDocument(connection, id))
  await clear(connection, strayDocuments(connection, id), closing)
  return found
}

/** Takes away versions that nobody finds. */
export async function clear(connection: Connection, documents: readonly number[], closing: AbortSignal): Promise<void> {
  for (const document of documents) {
    while (!closing.aborted && connection.transaction(() => clearChunks(connection, document, CLEARED))) await pause()
    if (closing.aborted) return
    connection.transaction(() => clearDocument(connection, document))
  }
}

async function write(connection: Connection, document: IndexedDocument, limits: readonly AbortSignal[]): Promise<void> {
  const steps = stepsOf(document)
  const title = spaced(document.title.slice(0, LONGEST_TITLE))
  let number: number | undefined
  let chunks = 0
  for (let batch = take(steps, STEPS); ; batch = take(steps, STEPS)) {
    connection.transaction(() => {
      number ??= beginDocument(connection, document)
      for (const { piece, chunk } of batch) {
        if (piece) writePiece(connection, number, piece)
        else if (chunks >= PER_DOCUMENT) throw new SearchError('invalid', 'a document is too large to index: divide it')
        else writeChunk(connection, number, chunks++, title, chunk)
      }
      if (batch.length < STEPS) publishDocument(connection, number, chunks, document)
    })
    if (batch.length < STEPS) return
    await pause()
    for (const limit of limits) limit.throwIfAborted()
  }
}

type Step = { readonly piece: Piece; readonly chunk?: never } | { readonly chunk: Chunk; readonly piece?: never }

function* stepsOf({ text, pages }: IndexedDocument): Generator<Step> {
  for (const piece of piecesOf(text)) yield { piece }
  for (const chunk of eachChunk(text, pages && { pages })) yield { chunk }
}

function take<Item>(items: Generator<Item>, count: number): readonly Item[] {
  const taken: Item[] = []
  while (taken.length < count) {
    const next = items.next()
    if (next.done) break
    taken.push(next.value)
  }
  return taken
}

/** Halves of characters cannot be kept. Each becomes one replacement character, so positions stay what they are. */
function wellFormed(document: IndexedDocument): IndexedDocument {
  return { ...document, title: document.title.toWellFormed(), text: document.text.toWellFormed() }
}
