import { createHash } from 'node:crypto'
import { inSlices, LONG_TEXT, textChunks, timeSlice } from '../../platform.ts'
import { StoreError } from '../store-error.ts'
import type { StoreConnection } from './connection.ts'
import { insertInto, statement } from './statement.ts'

/** Characters. A longer text of an entry or a content has rows of its own, since one row of megabytes would block everything else. */
export const LONGEST_IN_ROW = 1_000_000

/** Rows that are written in one transaction, or read at once: about a megabyte. */
const ROWS_AT_ONCE = 15

/** Lists and objects in each other; what is deeper is left where it is. */
const DEEPEST = 12

type Path = readonly (string | number)[]

/** A text without its value, and the keys that lead to its place there. */
export interface LongText {
  readonly path: Path
  readonly text: string
}

/** A text in rows of its own, as the column `parts` has it. */
type StoredText = readonly [path: Path, number: number, rows: number, sha256: string]

/** A value with an empty text in the place of each that is too long for one row. UTF-8 cannot encode half a surrogate pair: such a text stays. */
export function cutLongTexts(value: unknown, texts: LongText[], path: Path = []): unknown {
  if (typeof value === 'string') {
    if (value.length <= LONGEST_IN_ROW || !value.isWellFormed()) return value
    texts.push({ path, text: value })
    return ''
  }
  if (typeof value !== 'object' || value === null || path.length > DEEPEST) return value
  if (Array.isArray(value)) return value.map((each, index) => cutLongTexts(each, texts, [...path, index]))
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [key, cutLongTexts(each, texts, [...path, key])]),
  )
}

/**
 * Writes texts in several transactions, before the row that they belong to. Returns the column `parts` of that row. What a crash leaves
 * of them is removed when the store is opened.
 */
export async function writeTexts(
  write: (run: () => number) => Promise<number>,
  connection: StoreConnection,
  texts: readonly LongText[],
): Promise<string> {
  const stored: StoredText[] = []
  for (const { path, text } of texts) {
    const hash = createHash('sha256')
    let number: number | undefined
    let rows = 0
    const put = async (parts: readonly string[]) => {
      const first = rows
      rows += parts.length
      for (const part of parts) hash.update(part)
      number = await write(() => {
        const own = number ?? connection.get(newestNumber, {})!.number + 1
        for (const [at, part] of parts.entries())
          connection.run(insertPart, { number: own, part: first + at, text: part })
        return own
      })
    }
    let waiting: string[] = []
    for (const part of textChunks(text, LONG_TEXT)) {
      if (waiting.push(part) < ROWS_AT_ONCE) continue
      await put(waiting)
      waiting = []
    }
    if (waiting.length > 0) await put(waiting)
    stored.push([path, number!, rows, hash.digest('hex')])
  }
  return JSON.stringify(stored)
}

/** @throws StoreError `conflict`: another process has taken them for what a crash left */
export function refuseMissingTexts(connection: StoreConnection, parts: string): void {
  for (const [, number, rows] of storedTexts(parts)) {
    if (connection.get(countParts, { number })!.rows !== rows) {
      throw new StoreError('conflict', 'A long text was removed while it was written. Try again.')
    }
  }
}

/** Removes texts whose row was not written, and overwrites their bytes. */
export function removeTexts(connection: StoreConnection, parts: string): void {
  connection.overwriting(() => {
    for (const [, number] of storedTexts(parts)) connection.run(removeParts, { number })
  })
}

export function hasTextParts(connection: StoreConnection): boolean {
  return connection.get(newestNumber, {})!.number > 0
}

/** Removes the texts that no row refers to: a crash came before it was written. */
export function removeTextsWithoutRow(connection: StoreConnection): void {
  connection.overwriting(() => connection.run(removeUnused, {}))
}

/** A value with its long texts in their places again. Reads them in one moment. */
export function withLongTexts<Value>(connection: StoreConnection, value: Value, parts: string | null): Value {
  if (parts === null) return value
  return storedTexts(parts).reduce(
    (filled, stored) => placed(filled, stored, [...readPages(connection, stored)].flat()),
    value,
  )
}

/** The long texts of a row. */
export function readTexts(connection: StoreConnection, parts: string): readonly string[] {
  return storedTexts(parts).map((stored) => [...readPages(connection, stored)].flat().join(''))
}

/** The same, and lets other work run meanwhile. */
export async function withLongTextsInSlices<Value>(
  connection: StoreConnection,
  value: Value,
  parts: string | null,
): Promise<Value> {
  let filled = value
  for (const stored of parts === null ? [] : storedTexts(parts)) {
    const texts: string[] = []
    await inSlices(connection.clock, readPages(connection, stored), (rows) => void texts.push(...rows))
    // To put them together takes as long as to read them.
    await timeSlice(connection.clock).rest()
    filled = placed(filled, stored, texts)
    await timeSlice(connection.clock).rest()
  }
  return filled
}

/** Whether the texts of a row are as they were written. */
export function areWholeTexts(connection: StoreConnection, parts: string | null): boolean {
  return storedTexts(parts ?? '[]').every((stored) => {
    const hash = createHash('sha256')
    for (const rows of readPages(connection, stored)) for (const text of rows) hash.update(text)
    return hash.digest('hex') === stored[3]
  })
}

const storedTexts = (parts: string) => JSON.parse(parts) as readonly StoredText[]

/** @throws StoreError `corrupt` */
function* readPages(connection: StoreConnection, [, number, rows]: StoredText): Generator<readonly string[]> {
  for (let from = 0; from < rows; from += ROWS_AT_ONCE) {
    const below = Math.min(rows, from + ROWS_AT_ONCE)
    const found = connection.tuples(readParts, { number, from, below })
    if (found.length !== below - from) {
      throw new StoreError(
        'corrupt',
        'A part of a long text is missing. If its session was not removed just now, restore a backup.',
      )
    }
    yield found.map(([text]) => text)
  }
}

function placed<Value>(value: Value, [path]: StoredText, texts: readonly string[]): Value {
  const text = texts.join('')
  const last = path.at(-1)
  if (last === undefined) return text as Value
  const holder = path.slice(0, -1).reduce((at: Record<string, unknown>, key) => at[key] as never, value as never)
  holder[last] = text
  return value
}

const newestNumber = statement<object, { number: number }>('select coalesce(max(number), 0) as number from text_parts')
const insertPart = statement<{ number: number; part: number; text: string }>(
  insertInto('text_parts', ['number', 'part', 'text']),
)
const countParts = statement<{ number: number }, { rows: number }>(
  'select count(*) as rows from text_parts where number = :number',
)
const readParts = statement<{ number: number; from: number; below: number }, readonly [text: string]>(
  'select text from text_parts where number = :number and part >= :from and part < :below order by part',
)
const removeParts = statement<{ number: number }>('delete from text_parts where number = :number')
const removeUnused = statement<object>(
  `delete from text_parts where number not in (
    select stored.value ->> 1 from entries, json_each(entries.parts) as stored where entries.parts is not null
    union all
    select stored.value ->> 1 from contents, json_each(contents.parts) as stored where contents.parts is not null)`,
)
