import { contentHash, type ContentStore } from '../content.ts'
import { all, get, insertInto, overwriting, run, type Sql, type SqlReader, statement } from './sql.ts'
import { refuseMissingTexts, removeTexts, withLongTexts, withLongTextsInSlices } from './text-parts.ts'
import { putValue, readValue } from './value-table.ts'

/** `parts`: where the text was written before, in rows of its own. */
export function* putContent(text: string, hash = contentHash(text), parts: string | null = null): Sql<string> {
  if (parts !== null) yield* refuseMissingTexts(parts)
  const escaped = parts !== null || text.isWellFormed() ? 0 : 1
  const row = parts === null ? (escaped ? JSON.stringify(text) : text) : ''
  const written = yield* run(insertContent, { hash, text: row, escaped, parts })
  if (written === 0 && parts !== null) yield* removeTexts(parts)
  return hash
}

export function* readContent(hash: string): Sql<string | undefined> {
  const row = yield* get(oneContent, { hash })
  return row && (yield* withLongTexts(textOf(row), row.parts))
}

/** The same, and lets other work run while a long text is read. */
export async function readContentInSlices(database: SqlReader, hash: string): Promise<string | undefined> {
  const row = await database.read(get(oneContent, { hash }))
  return row && withLongTextsInSlices(database, textOf(row), row.parts)
}

function textOf({ text, escaped }: StoredContent): string {
  return escaped ? (JSON.parse(text) as string) : text
}

const insertContent = statement<StoredContent & { hash: string }>(
  `${insertInto('contents', ['hash', 'text', 'escaped', 'parts'])} on conflict (hash) do nothing`,
)
const oneContent = statement<{ hash: string }, StoredContent>(
  'select text, escaped, parts from contents where hash = :hash',
)

interface StoredContent {
  readonly text: string
  /** 1: `text` is the JSON of a text that UTF-8 cannot hold. */
  readonly escaped: number
  readonly parts: string | null
}

/**
 * Writes a text that contains words of these sessions. Where one of them no longer exists, only a note is written that the
 * text was removed: an answer in progress must not bring back what was deleted meanwhile.
 */
export function* putHeldContent(
  text: string,
  hash: string,
  sessions: readonly string[],
  shared = false,
  parts: string | null = null,
): Sql<string> {
  let isWhole = true
  for (const id of sessions) isWhole &&= (yield* get(oneSession, { id })) !== undefined && !(yield* isRemoved(id))
  const holders = yield* readHolders(hash)
  if (isWhole) yield* putContent(text, hash, parts)
  else if (parts !== null) yield* removeTexts(parts)
  // The same text may have been written for other sessions before: it is removed with the first of them.
  const isShared = shared && (holders.length === 0 || holders[0] === SHARED)
  const every = new Set([...holders, ...sessions].filter((holder) => holder !== SHARED))
  if (isWhole) yield* putValue(holdersKey(hash), [...(isShared ? [SHARED] : []), ...every])
  else if (holders.length === 0) yield* putValue(holdersKey(hash), REMOVED)
  return hash
}

function* readHolders(hash: string): Sql<readonly string[]> {
  return ((yield* readValue(holdersKey(hash))) as readonly string[] | undefined) ?? []
}

/** Removes every text that contains words of a session, permanently. Returns how many were removed. */
export function* removeHeldContents(session: string): Sql<number> {
  const query = /^[\w-]+$/.test(session) ? heldByPlain : heldBy
  const held = yield* all(query, { session, json: JSON.stringify(session) })
  let removed = 0
  yield* overwriting(function* () {
    for (const { key } of held) {
      const hash = key.slice(PREFIX.length)
      const holders = yield* readHolders(hash)
      const left = holders[0] === SHARED ? holders.filter((holder) => holder !== session) : []
      // Of a shared text somebody else is left beside the mark.
      if (left.length > 1) yield* putValue(key, left)
      else {
        yield* run(removeContent, { hash })
        yield* putValue(key, REMOVED)
        removed += 1
      }
    }
  })
  return removed
}

/**
 * Removes, of one page of the texts after `key`, those that are shared (`putContent`) and that only resting sessions hold.
 * Returns how many, and the key of the next page where there may be one.
 */
export function* removeRestingContents(
  { before, isUsed }: Parameters<ContentStore['removeRestingContents']>[0],
  key = PREFIX,
): Sql<{ readonly removed: number; readonly next: string | undefined }> {
  const page = yield* all(holdersAfter, { key })
  const resting: string[] = []
  for (const { key: each, value } of page) {
    const [mark, ...sessions] = JSON.parse(value) as readonly string[]
    let isHeld = mark !== SHARED
    for (const session of sessions)
      isHeld ||= isUsed(session) || ((yield* get(updatedAt, { session }))?.updated ?? '') >= before
    if (!isHeld) resting.push(each)
  }
  yield* overwriting(function* () {
    for (const each of resting) {
      yield* run(removeContent, { hash: each.slice(PREFIX.length) })
      yield* putValue(each, REMOVED)
    }
  })
  return { removed: resting.length, next: page.length < PAGE ? undefined : page.at(-1)!.key }
}

/** Whether a text is missing because it was removed with the session whose words it contained. */
export function* contentWasRemoved(hash: string): Sql<boolean> {
  return (yield* readValue(holdersKey(hash))) !== undefined && (yield* readHolders(hash)).length === 0
}

/** Sets whether texts with words of this session are refused from now on. */
export function* setRemoved(session: string, removed: boolean): Sql<void> {
  if (removed !== (yield* isRemoved(session))) yield* putValue(`content-refused/${session}`, removed)
}

function* isRemoved(session: string): Sql<boolean> {
  return (yield* readValue(`content-refused/${session}`)) === true
}

const PREFIX = 'content-of/'

/** The first of the holders of a text that stays until the last of them is gone. No session has this id. */
const SHARED = '*'

/** The value of a removed text: no holders. */
const REMOVED: readonly string[] = []

function holdersKey(hash: string): string {
  return `${PREFIX}${hash}`
}

const oneSession = statement<{ id: string }, { id: string }>('select id from sessions where id = :id')
const ofContents = `select key from named_values where key >= '${PREFIX}' and key < 'content-of0'`
/** SQLite reads the table from its beginning to its end: by its index it would look up row after row, which takes 30 times as long. */
const ofHolder = `select key from named_values where instr(value, :json) > 0 and +key >= '${PREFIX}' and +key < 'content-of0'
  and exists (select 1 from json_each(named_values.value) as held where held.value = :session)`
const heldBy = statement<{ session: string; json: string }, { key: string }>(
  ofHolder,
  `${ofContents} and position(:json in value) > 0`,
)
/** The same by an index of PostgreSQL, for an id that is in JSON as it is. */
const heldByPlain = statement<{ session: string; json: string }, { key: string }>(
  ofHolder,
  `${ofContents} and string_to_array(translate(value, '[]"', ''), ',') @> array[cast(:session as text)] and position(:json in value) > 0`,
)
/** Values that are read in one write: some milliseconds of work. */
const PAGE = 500
const holdersAfter = statement<{ key: string }, { key: string; value: string }>(
  `select key, value from named_values where key > :key and key < 'content-of0' order by key limit ${PAGE}`,
)
const updatedAt = statement<{ session: string }, { updated: string }>(
  'select updated from sessions where id = :session',
)
export const removeContent = statement<{ hash: string }>('delete from contents where hash = :hash')
