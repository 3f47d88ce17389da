import type { SqliteConnection } from '../../platform.ts'
import type { Chunk } from '../search-engine.ts'
import { splitWords } from '../words.ts'

interface ChunkRow {
  readonly start: number
  readonly end: number
  readonly page: number | null
  readonly line: number
  readonly headings: string
}

/** Inserts a chunk and its words. */
export function writeChunk(
  connection: SqliteConnection,
  document: number,
  ordinal: number,
  title: string,
  chunk: Chunk,
): void {
  const number = rowNumber(document, ordinal)
  connection.run(
    'insert into chunks (number, start, "end", page, line, headings) values (?, ?, ?, ?, ?, ?)',
    number,
    chunk.start,
    chunk.end,
    chunk.page ?? null,
    chunk.line,
    JSON.stringify(chunk.headings),
  )
  connection.run(
    'insert into words (rowid, title, headings, body) values (?, ?, ?, ?)',
    number,
    title,
    joinWords(chunk.headings.join(' ')),
    joinWords(chunk.text),
  )
}

/** The words of a text with spaces between them, as they are indexed. */
export function joinWords(text: string): string {
  return splitWords(text).join(' ')
}

export function readChunk(connection: SqliteConnection, number: number): Chunk | undefined {
  const row = connection.get<ChunkRow>('select start, "end", page, line, headings from chunks where number = ?', number)
  if (!row) return undefined
  const { start, end, page, line } = row
  const text = readDocumentText(connection, documentNumber(number), start, end)
  const headings = JSON.parse(row.headings) as string[]
  return { id: `${start}-${end}`, text, start, end, ...(page !== null && { page }), line, headings }
}

/** Removes up to `limit` chunks of a version with their words and vectors. Returns whether there were any. */
export function clearChunks(connection: SqliteConnection, document: number, limit: number): boolean {
  const [first, last] = chunkNumberRange(document)
  const rows = connection.all<{ readonly number: number }>(
    'select number from chunks where number between ? and ? order by number limit ?',
    first,
    last,
    limit,
  )
  const [from, to] = [rows[0]?.number, rows.at(-1)?.number]
  if (from === undefined || to === undefined) return false
  for (const table of ['words', 'vectors', 'chunks']) {
    const key = table === 'words' ? 'rowid' : 'number'
    connection.run(`delete from ${table} where ${key} between ? and ?`, from, to)
  }
  return true
}

/** Removes a version that has no chunks left. */
export function clearDocument(connection: SqliteConnection, document: number): void {
  const [first, last] = chunkNumberRange(document)
  connection.run('delete from pieces where number between ? and ?', first, last)
  connection.run(`delete from documents where number = ? and state <> 'ready'`, document)
}

/** A stored part of a document's text. */
export interface DocumentPiece {
  readonly ordinal: number
  readonly start: number
  readonly text: string
}

/** Characters of a piece: a chunk is in one or two of them, for a document of any length. */
const PIECE = 4_096

/** Splits a well-formed text without splitting a surrogate pair. The ordinal of a piece follows from a position. */
export function* splitIntoPieces(text: string): Generator<DocumentPiece> {
  let start = 0
  for (let ordinal = 0; start < text.length; ordinal += 1) {
    let end = Math.min((ordinal + 1) * PIECE, text.length)
    if (splitsPair(text, end)) end += 1
    yield { ordinal, start, text: text.slice(start, end) }
    start = end
  }
}

export function writePiece(connection: SqliteConnection, document: number, piece: DocumentPiece): void {
  connection.run(
    'insert into pieces (number, start, text) values (?, ?, ?)',
    rowNumber(document, piece.ordinal),
    piece.start,
    piece.text,
  )
}

/** `text.slice(start, end)` of the document's text. */
export function readDocumentText(connection: SqliteConnection, document: number, start: number, end: number): string {
  if (end <= start) return ''
  const pieces = connection.all<{ readonly start: number; readonly text: string }>(
    'select start, text from pieces where number between ? and ? order by number',
    // A piece may begin one character later than its ordinal implies.
    rowNumber(document, Math.max(0, Math.floor((start - 1) / PIECE))),
    rowNumber(document, Math.floor((end - 1) / PIECE)),
  )
  const first = pieces[0]?.start ?? 0
  return pieces
    .map((piece) => piece.text)
    .join('')
    .slice(start - first, end - first)
}

function splitsPair(text: string, at: number): boolean {
  const code = text.charCodeAt(at)
  return code >= 0xdc00 && code <= 0xdfff
}

/** The most pieces or chunks of a document. */
export const PER_DOCUMENT = 2 ** 20

/** The number of a document's nth chunk or piece. It contains the number of the document. */
function rowNumber(document: number, ordinal: number): number {
  return document * PER_DOCUMENT + ordinal
}

export function documentNumber(number: number): number {
  return Math.floor(number / PER_DOCUMENT)
}

/** The first and the last chunk number of a document. */
export function chunkNumberRange(document: number): readonly [first: number, last: number] {
  return [rowNumber(document, 0), rowNumber(document, PER_DOCUMENT - 1)]
}
