import { contentHash, type ContentStore } from '../content.ts'
import type { StoreConnection } from './connection.ts'
import { insertInto, statement } from './statement.ts'
import { refuseMissingTexts, removeTexts, withLongTexts, withLongTextsInSlices } from './text-parts.ts'
import { putValue, readValue } from './value-table.ts'

/** `parts`: where the text was written before, in rows of its own. */
export function putContent(
  connection: StoreConnection,
  text: string,
  hash = contentHash(text),
  parts: string | null = null,
): string {
  if (parts !== null) refuseMissingTexts(connection, parts)
  const escaped = parts !== null || text.isWellFormed() ? 0 : 1
  const row = parts === null ? (escaped ? JSON.stringify(text) : text) : ''
  const written = connection.run(insertContent, { hash, text: row, escaped, parts })
  if (written === 0 && parts !== null) removeTexts(connection, parts)
  return hash
}

export function readContent(connection: StoreConnection, hash: string): string | undefined {
  const row = connection.get(oneContent, { hash })
  return row && withLongTexts(connection, textOf(row), row.parts)
}

/** The same, and lets other work run while a long text is read. */
export async function readContentInSlices(connection: StoreConnection, hash: string): Promise<string | undefined> {
  const row = connection.get(oneContent, { hash })
  return row && withLongTextsInSlices(connection, textOf(row), row.parts)
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
export function putHeldContent(
  connection: StoreConnection,
  text: string,
  hash: string,
  sessions: readonly string[],
  shared = false,
  parts: string | null = null,
): string {
  const isWhole = sessions.every((id) => connection.get(oneSession, { id }) && !isRemoved(connection, id))
  const holders = readHolders(connection, hash)
  if (isWhole) putContent(connection, text, hash, parts)
  else if (parts !== null) removeTexts(connection, parts)
  // The same text may have been written for other sessions before: it is removed with the first of them.
  const isShared = shared && (holders.length === 0 || holders[0] === SHARED)
  const all = new Set([...holders, ...sessions].filter((holder) => holder !== SHARED))
  if (isWhole) putValue(connection, holdersKey(hash), [...(isShared ? [SHARED] : []), ...all])
  else if (holders.length === 0) putValue(connection, holdersKey(hash), REMOVED)
  return hash
}

function readHolders(connection: StoreConnection, hash: string): readonly string[] {
  return (readValue(connection, holdersKey(hash)) as readonly string[] | undefined) ?? []
}

/** Removes every text that contains words of a session, permanently. Returns how many were removed. */
export function removeHeldContents(connection: StoreConnection, session: string): number {
  const held = connection.all(heldBy, { session })
  let removed = 0
  connection.overwriting(() => {
    for (const { key } of held) {
      const hash = key.slice(PREFIX.length)
      const holders = readHolders(connection, hash)
      const left = holders[0] === SHARED ? holders.filter((holder) => holder !== session) : []
      // Of a shared text somebody else is left beside the mark.
      if (left.length > 1) putValue(connection, key, left)
      else {
        connection.run(removeContent, { hash })
        putValue(connection, key, REMOVED)
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
export function removeRestingContents(
  connection: StoreConnection,
  { before, isUsed }: Parameters<ContentStore['removeRestingContents']>[0],
  key = PREFIX,
): { readonly removed: number; readonly next: string | undefined } {
  const isHeld = (session: string) =>
    isUsed(session) || (connection.get(updatedAt, { session })?.updated ?? '') >= before
  const page = connection.all(holdersAfter, { key })
  const resting = page.filter(({ value }) => {
    const [mark, ...sessions] = JSON.parse(value) as readonly string[]
    return mark === SHARED && !sessions.some(isHeld)
  })
  connection.overwriting(() => {
    for (const { key: each } of resting) {
      connection.run(removeContent, { hash: each.slice(PREFIX.length) })
      putValue(connection, each, REMOVED)
    }
  })
  return { removed: resting.length, next: page.length < PAGE ? undefined : page.at(-1)!.key }
}

/** Whether a text is missing because it was removed with the session whose words it contained. */
export function contentWasRemoved(connection: StoreConnection, hash: string): boolean {
  return readValue(connection, holdersKey(hash)) !== undefined && readHolders(connection, hash).length === 0
}

/** Sets whether texts with words of this session are refused from now on. */
export function setRemoved(connection: StoreConnection, session: string, removed: boolean): void {
  if (removed !== isRemoved(connection, session)) putValue(connection, `content-refused/${session}`, removed)
}

function isRemoved(connection: StoreConnection, session: string): boolean {
  return readValue(connection, `content-refused/${session}`) === true
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
const heldBy = statement<{ session: string }, { key: string }>(
  `select key from named_values where key >= '${PREFIX}' and key < 'content-of0'
    and exists (select 1 from json_each(named_values.value) as held where held.value = :session)`,
)
/** Values that are read in one write: some milliseconds of work. */
const PAGE = 500
const holdersAfter = statement<{ key: string }, { key: string; value: string }>(
  `select key, value from named_values where key > :key and key < 'content-of0' order by key limit ${PAGE}`,
)
const updatedAt = statement<{ session: string }, { updated: string }>(
  'select updated from sessions where id = :session',
)
const removeContent = statement<{ hash: string }>('delete from contents where hash = :hash')
