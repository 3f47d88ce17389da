import { createHash } from 'node:crypto'
import { LONG_TEXT, textChunks, timeSlice } from '../../platform.ts'
import { StoreError } from '../store-error.ts'
import { forEach, get, insertInto, overwriting, run, type Sql, type SqlReader, statement, tuples } from './sql.ts'

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
  write: (run: () => Sql<number>) => Promise<number>,
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
      number = await write(function* () {
        const own = number ?? (yield* get(newestNumber, {}))!.number + 1
        for (const [at, part] of parts.entries()) yield* run(insertPart, { number: own, part: first + at, text: part })
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
export function* refuseMissingTexts(parts: string): Sql<void> {
  for (const [, number, rows] of storedTexts(parts)) {
    if ((yield* get(countParts, { number }))!.rows !== rows) {
      throw new StoreError('conflict', 'A long text was removed while it was written. Try again.')
    }
  }
}

/** Removes texts whose row was not written, and overwrites their bytes. */
export function* removeTexts(parts: string): Sql<void> {
  yield* overwriting(function* () {
    for (const [, number] of storedTexts(parts)) yield* run(removeParts, { number })
  })
}

export function* hasTextParts(): Sql<boolean> {
  return (yield* get(newestNumber, {}))!.number > 0
}

/** Removes the texts that no row refers to: a crash came before it was written. */
export function* removeTextsWithoutRow(): Sql<void> {
  yield* overwriting(() => run(removeUnused, {}))
}

/** A value with its long texts in their places again. Reads them in one moment. */
export function* withLongTexts<Value>(value: Value, parts: string | null): Sql<Value> {
  if (parts === null) return value
  let filled = value
  for (const stored of storedTexts(parts)) filled = placed(filled, stored, yield* readText(stored))
  return filled
}

/** The long texts of a row. */
export function* readTexts(parts: string): Sql<readonly string[]> {
  return yield* forEach(storedTexts(parts), function* (stored) {
    return (yield* readText(stored)).join('')
  })
}

/** The same, and lets other work run meanwhile. */
export async function withLongTextsInSlices<Value>(
  database: SqlReader,
  value: Value,
  parts: string | null,
): Promise<Value> {
  let filled = value
  for (const stored of parts === null ? [] : storedTexts(parts)) {
    const texts: string[] = []
    const work = timeSlice(database.clock)
    for (const page of pagesOf(stored)) {
      if (work.isOver()) await work.rest()
      texts.push(...(await database.read(readPage(page))))
    }
    // To put them together takes as long as to read them.
    await timeSlice(database.clock).rest()
    filled = placed(filled, stored, texts)
    await timeSlice(database.clock).rest()
  }
  return filled
}

/** Whether the texts of a row are as they were written. */
export function* areWholeTexts(parts: string | null): Sql<boolean> {
  for (const stored of storedTexts(parts ?? '[]')) {
    const hash = createHash('sha256')
    for (const page of pagesOf(stored)) for (const text of yield* readPage(page)) hash.update(text)
    if (hash.digest('hex') !== stored[3]) return false
  }
  return true
}

const storedTexts = (parts: string) => JSON.parse(parts) as readonly StoredText[]

interface Page {
  readonly number: number
  readonly from: number
  readonly below: number
}

function* pagesOf([, number, rows]: StoredText): Generator<Page> {
  for (let from = 0; from < rows; from += ROWS_AT_ONCE)
    yield { number, from, below: Math.min(rows, from + ROWS_AT_ONCE) }
}

/** @throws StoreError `corrupt` */
function* readPage(page: Page): Sql<readonly string[]> {
  const found = yield* tuples(readParts, page)
  if (found.length === page.below - page.from) return found.map(([text]) => text)
  throw new StoreError(
    'corrupt',
    'A part of a long text is missing. If its session was not removed just now, restore a backup.',
  )
}

function* readText(stored: StoredText): Sql<readonly string[]> {
  return (yield* forEach(pagesOf(stored), readPage)).flat()
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
  `delete from text_parts where number not in (
    select cast(cast(stored.value -> 1 as text) as bigint)
      from entries, json_array_elements(cast(entries.parts as json)) as stored where entries.parts is not null
    union all
    select cast(cast(stored.value -> 1 as text) as bigint)
      from contents, json_array_elements(cast(contents.parts as json)) as stored where contents.parts is not null)`,
)
