import { sql } from 'kysely'
import { contentHash } from '../content.ts'
import type { Connection } from './connection.ts'
import { overwriting } from './overwriting.ts'
import { plan, type Slot } from './plan.ts'
import { type Tables, tables } from './tables.ts'
import { putValue, value } from './value-table.ts'

export function putContent(connection: Connection, text: string, hash = contentHash(text)): string {
  const escaped = text.isWellFormed() ? 0 : 1
  connection.run(insertContent, { hash, text: escaped ? JSON.stringify(text) : text, escaped })
  return hash
}

export function content(connection: Connection, hash: string): string | undefined {
  const row = connection.get(oneContent, { hash })
  return row?.escaped ? JSON.parse(row.text) : row?.text
}

const insertContent = plan((slot: Slot<Tables['contents']>) =>
  tables
    .insertInto('contents')
    .values({ hash: slot('hash'), text: slot('text'), escaped: slot('escaped') })
    .onConflict((conflict) => conflict.column('hash').doNothing()),
)

const oneContent = plan((slot: Slot<{ hash: string }>) =>
  tables.selectFrom('contents').select(['text', 'escaped']).where('hash', '=', slot('hash')),
)

/**
 * Writes a text that holds words of these sessions. Where one of them is gone already, nothing is written but a note that
 * the text was removed: an answer that was under way must not bring back what was deleted meanwhile.
 */
export function putHeldContent(
  connection: Connection,
  text: string,
  hash: string,
  sessions: readonly string[],
): string {
  const isWhole = sessions.every((id) => connection.get(oneSession, { id }) && !isRemoved(connection, id))
  const holders = holdersOf(connection, hash)
  if (isWhole) putContent(connection, text, hash)
  // The same text may have been written for other sessions before: it goes with the first of them all.
  if (isWhole) putValue(connection, keyOf(hash), [...new Set([...holders, ...sessions])])
  else if (holders.length === 0) putValue(connection, keyOf(hash), REMOVED)
  return hash
}

function holdersOf(connection: Connection, hash: string): readonly string[] {
  return (value(connection, keyOf(hash)) as readonly string[] | undefined) ?? []
}

/** Removes every text that holds words of a session, for good. Answers how many there were. */
export function removeHeldContents(connection: Connection, session: string): number {
  const held = connection.all(heldBy, { session })
  overwriting(connection, () => {
    for (const { key } of held) {
      connection.run(removeContent, { hash: key.slice(PREFIX.length) })
      putValue(connection, key, REMOVED)
    }
  })
  return held.length
}

/** Whether a text is missing because it was removed with the session whose words it held. */
export function contentWasRemoved(connection: Connection, hash: string): boolean {
  return value(connection, keyOf(hash)) !== undefined && holdersOf(connection, hash).length === 0
}

/** Whether a text that holds words of this session is refused from now on. */
export function setRemoved(connection: Connection, session: string, removed: boolean): void {
  if (removed !== isRemoved(connection, session)) putValue(connection, `content-refused/${session}`, removed)
}

function isRemoved(connection: Connection, session: string): boolean {
  return value(connection, `content-refused/${session}`) === true
}

const PREFIX = 'content-of/'

/** What is left of a removed text: its hash, and that it was removed. */
const REMOVED: readonly string[] = []

function keyOf(hash: string): string {
  return `${PREFIX}${hash}`
}

const oneSession = plan((slot: Slot<{ id: string }>) =>
  tables.selectFrom('sessions').select('id').where('id', '=', slot('id')),
)

const heldBy = plan((slot: Slot<{ session: string }>) =>
  tables
    .selectFrom('named_values')
    .select('key')
    .where('key', '>=', sql.lit(PREFIX))
    .where('key', '<', sql.lit('content-of0'))
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom(sql<{ value: string }>`json_each(named_values.value)`.as('held'))
          .select('held.value')
          .where('held.value', '=', slot('session')),
      ),
    ),
)

const removeContent = plan((slot: Slot<{ hash: string }>) =>
  tables.deleteFrom('contents').where('hash', '=', slot('hash')),
)
