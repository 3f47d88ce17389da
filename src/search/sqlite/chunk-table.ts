import type { Chunk } from '../engine.ts'
import { wordsOf } from '../words.ts'
import type { Connection } from './connection.ts'
import { documentOf, numberOf, numbersOf } from './numbering.ts'
import { readText } from './piece-table.ts'

interface ChunkRow {
  readonly start: number
  readonly end: number
  readonly page: number | null
  readonly line: number
  readonly headings: string
}

/** Puts a chunk and its words in. */
export function writeChunk(
  connection: Connection,
  document: number,
  ordinal: number,
  title: string,
  chunk: Chunk,
): void {
  const number = numberOf(document, ordinal)
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
    spaced(chunk.headings.join(' ')),
    spaced(chunk.text),
  )
}

/** A text as the words that are looked for, with blanks between them. */
export function spaced(text: string): string {
  return wordsOf(text).join(' ')
}

export function readChunk(connection: Connection, number: number): Chunk | undefined {
  const row = connection.get<ChunkRow>('select start, "end", page, line, headings from chunks where number = ?', number)
  if (!row) return undefined
  const { start, end, page, line } = row
  const text = readText(connection, documentOf(number), start, end)
  const headings = JSON.parse(row.headings) as string[]
  return { id: `${start}-${end}`, text, start, end, ...(page !== null && { page }), line, headings }
}

/** Takes away up to `limit` chunks of a version, with all that belongs to them. Answers whether any was left to take. */
export function clearChunks(connection: Connection, document: number, limit: number): boolean {
  const [first, last] = numbersOf(document)
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

/** Takes away what is left of a version without chunks. */
export function clearDocument(connection: Connection, document: number): void {
  const [first, last] = numbersOf(document)
  connection.run('delete from pieces where number between ? and ?', first, last)
  connection.run(`delete from documents where number = ? and state <> 'ready'`, document)
}
