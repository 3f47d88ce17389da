import { timeSlice } from '../../platform.ts'
import type { Write } from '../session-store.ts'
import { overwriting, run, type Sql, type SqlReader, statement, tuples } from './sql.ts'
import { putValue } from './value-table.ts'

/** Rows that one part of a long write or removal has at most: some milliseconds of work. */
export const ROWS_OF_PART = 500
/** A part ends with the row that reaches it. */
const CHARACTERS_OF_PART = 500_000

/** Writes that become one transaction. */
interface WritePart<Prepared> {
  readonly writes: readonly Write[]
  readonly prepared: readonly Prepared[]
  readonly characters: number
}

/** Groups writes into parts that are bounded where each write is, and lets other work run while they are made and serialized. */
export async function* writeParts<Prepared extends { readonly characters: number }>(
  { clock }: Pick<SqlReader, 'clock'>,
  writes: Iterable<Write>,
  prepare: (write: Write) => Prepared,
): AsyncGenerator<WritePart<Prepared>> {
  const work = timeSlice(clock)
  let part = { writes: [] as Write[], prepared: [] as Prepared[], characters: 0 }
  let rows = 0
  for (const write of writes) {
    if (work.isOver()) await work.rest()
    const count = write.type === 'append' ? write.bodies.length : 1
    if (rows > 0 && (rows + count > ROWS_OF_PART || part.characters >= CHARACTERS_OF_PART)) {
      yield part
      work.renew()
      part = { writes: [], prepared: [], characters: 0 }
      rows = 0
    }
    const prepared = prepare(write)
    part.writes.push(write)
    part.prepared.push(prepared)
    part.characters += prepared.characters
    rows += count
  }
  if (rows > 0) yield part
}

const PREFIX = 'unfinished/'

/**
 * The sessions that are written or removed in parts, and are not whole. Nobody sees them, and what a crash has left of them is
 * removed when the store is opened.
 */
export const unfinishedSessions = `select substr(key, ${PREFIX.length + 1}) from named_values where key >= '${PREFIX}' and key < 'unfinished0'`

/** The condition that rows are of no session, or of one that is whole. */
export const ofWholeSession = `(session is null or session not in (${unfinishedSessions}))`

export function* readUnfinishedSessions(): Sql<readonly string[]> {
  return (yield* tuples(unfinished, {})).map(([session]) => session)
}

export function* markUnfinished(session: string): Sql<void> {
  yield* putValue(`${PREFIX}${session}`, true)
}

/** From here on everybody sees the session, or it is gone. */
export function* unmarkUnfinished(session: string): Sql<void> {
  yield* run(removeMark, { key: `${PREFIX}${session}` })
}

/** Removes one part of the rows of a session, and overwrites their bytes. Returns whether some are left. */
export function* removeRows(session: string): Sql<boolean> {
  return yield* overwriting(function* () {
    let room = ROWS_OF_PART
    for (const rows of removals) {
      room -= yield* run(rows, { session, limit: room })
      if (room <= 0) return true
    }
    return false
  })
}

const unfinished = statement<object, readonly [session: string]>(unfinishedSessions)
const removeMark = statement<{ key: string }>('delete from named_values where key = :key')
/** Calls take their sums with them. */
const removals = ['entries', 'tool_sums', 'turns', 'calls'].map((table) =>
  statement<{ session: string; limit: number }>(
    `delete from ${table} where rowid in (select rowid from ${table} where session = :session limit :limit)`,
    `delete from ${table} where ctid = any (array(select ctid from ${table} where session = :session limit :limit))`,
  ),
)
