import { sql } from 'kysely'
import { presentBody, storedTypes } from '../choices.ts'
import type { Entry } from '../entry.ts'
import type { EntriesOptions } from '../store/log-store.ts'
import type { Connection } from './connection.ts'
import { plan, type Slot } from './plan.ts'
import { tables } from './tables.ts'
import { turn as turnRow } from './turn-table.ts'

/** What an entry is made of again. */
type StoredEntry = readonly [seq: number, time: string, data: string]

export function entries(connection: Connection, session: string, options: EntriesOptions = {}): readonly Entry[] {
  const { types, turn, last, limit } = options
  let { after = 0, upTo = Number.MAX_SAFE_INTEGER } = options
  let query = stored.where('session', '=', session)
  if (turn !== undefined) {
    const row = turnRow(connection, session, turn)
    if (!row) return []
    after = Math.max(after, row.firstSeq - 1)
    upTo = Math.min(upTo, row.lastSeq)
    query = query.where('turn', '=', turn)
  }
  if (types) query = query.where('type', 'in', storedTypes(types))
  query = query.where('seq', '>', after).where('seq', '<=', upTo)
  query = last === undefined ? query.orderBy('seq') : query.orderBy('seq', 'desc').limit(last)
  if (limit !== undefined && last === undefined) query = query.limit(limit)

  const found = connection.tupleRows(query).map((row) => entryOf(session, row))
  return last === undefined ? found : found.toReversed()
}

function entryOf(session: string, [seq, time, data]: StoredEntry): Entry {
  return Object.assign(presentBody(JSON.parse(data)), { session, seq, time })
}

const stored = tables.selectFrom('entries').select(['seq', 'time', 'data']).$castTo<StoredEntry>()

export function entry(connection: Connection, session: string, seq: number): Entry | undefined {
  return connection.tuples(entryBySeq, { session, seq }).map((found) => entryOf(session, found))[0]
}

/** What was said, ascending. The text alone: each further column of a long history costs as much as parsing it. */
export const spokenData = plan((slot: Slot<{ session: string; from: number; to: number }>) =>
  tables
    .selectFrom('entries')
    .select('data')
    .where('session', '=', slot('session'))
    .where('seq', '>=', slot('from'))
    .where('seq', '<=', slot('to'))
    .where('type', 'in', [sql.lit('input'), sql.lit('message')])
    .orderBy('seq')
    .$castTo<readonly [data: string]>(),
)

const entryBySeq = plan((slot: Slot<{ session: string; seq: number }>) =>
  stored.where('session', '=', slot('session')).where('seq', '=', slot('seq')),
)

/** The turn of the newest entry of this type that a reader of the log at this `seq` knows. */
export const lastTurnOf = plan((slot: Slot<{ session: string; upTo: number; type: string }>) =>
  tables
    .selectFrom('entries')
    .select('turn')
    .where('session', '=', slot('session'))
    .where('seq', '<=', slot('upTo'))
    .where('type', '=', slot('type'))
    .orderBy('seq', 'desc')
    .limit(sql.lit(1)),
)
