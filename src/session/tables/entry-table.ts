import { hasLongText, jsonText } from '../../platform.ts'
import { type AppendPlan, planAppend } from '../append-plan.ts'
import { type ToolSums, toolSumsOf } from '../call-sums.ts'
import { rowDigest } from '../content.ts'
import type { Entry, EntryBody } from '../entry.ts'
import { StoreError } from '../store-error.ts'
import type { EntriesOptions, TurnRow } from '../log-store.ts'
import { forEach, get, insertInto, insertRows, type Query, run, type Sql, statement, tuples, where } from './sql.ts'
import { type StoredState, sessionState } from './session-table.ts'
import { insertToolSum } from './sum-table.ts'
import { cutLongTexts, type LongText, refuseMissingTexts, withLongTexts } from './text-parts.ts'
import { putTurn, shiftTurns, updateTurn } from './turn-table.ts'

/** Bodies of entries, each with what is written of it. Made before the transaction, which blocks other writes. */
interface SerializedBodies {
  readonly bodies: readonly EntryBody[]
  readonly data: readonly string[]
  readonly toolSums: readonly ToolSums[]
  /** What is too long for the row of its body, and in `parts` where it was written before. */
  readonly texts: ReadonlyMap<number, readonly LongText[]>
  readonly parts: Map<number, string>
}

export function serializeBodies(bodies: readonly EntryBody[]): SerializedBodies {
  const texts = new Map<number, LongText[]>()
  const data = bodies.map((body, index) => {
    if (!hasLongText(body)) return JSON.stringify(body)
    const long: LongText[] = []
    const short = cutLongTexts(body, long)
    if (long.length > 0) texts.set(index, long)
    return jsonText(short)
  })
  return { bodies, data, toolSums: bodies.map(toolSumsOf), texts, parts: new Map() }
}

/**
 * What this process appended last, by session: the row of the session, and the turns that it changed. Only a guess where another
 * process has appended since: then the digest of the newest entry is another one, and everything is read from the disk.
 */
export type LastAppends = Map<string, { readonly state: StoredState; readonly turns: ReadonlyMap<string, TurnRow> }>

const MOST_SESSIONS = 256

/** Writes entries and updates the projections. To be run within a transaction. */
export function* append(
  lastAppends: LastAppends,
  session: string,
  made: SerializedBodies,
  time: string,
): Sql<readonly Entry[]> {
  const { bodies, data, toolSums } = made
  if (bodies.length === 0) return []
  const last = lastAppends.get(session)
  lastAppends.delete(session)
  const state = last ? last.state : yield* get(sessionState, { id: session })
  let planned: AppendPlan
  try {
    planned = yield* planAppend({ session: state, turns: last?.turns }, session, bodies, time)
  } catch (error) {
    if (last) return yield* append(lastAppends, session, made, time)
    throw error
  }

  let chain = state?.chain ?? ''
  for (const parts of made.parts.values()) yield* refuseMissingTexts(parts)
  const digests = planned.entries.map(({ seq, type }, index) => {
    const parts = made.parts.get(index)
    chain = rowDigest(chain, seq, time, type, turnOf(bodies[index]!), data[index]!, ...(parts ? [parts] : []))
    return chain
  })
  const after = { ...planned.session, chain }
  if (planned.isNewSession) yield* run(insertSession, after, 'unread')
  else if ((yield* run(updateSession, { ...after, chainBefore: state?.chain ?? '' })) === 0) {
    return yield* append(lastAppends, session, made, time)
  }
  const rows = planned.entries.map(({ seq, type }, index) => [
    session,
    seq,
    time,
    type,
    turnOf(bodies[index]!),
    data[index]!,
    digests[index]!,
    made.parts.get(index) ?? null,
  ])
  for (let at = 0; at < rows.length; at += ROWS_AT_ONCE) {
    const some = rows.slice(at, at + ROWS_AT_ONCE)
    yield* run(insertEntries[some.length - 1]!, some.flat(), 'unread')
  }
  for (const [index, { seq }] of planned.entries.entries()) {
    for (const [part, { tool, tokens }] of toolSums[index]!.entries())
      yield* run(insertToolSum, { session, seq, part, time, tool, tokens }, 'unread')
  }
  for (const shift of planned.shifts) yield* run(shiftTurns, { session, ...shift }, 'unread')
  for (const { row, isNew, idempotencyKey = null } of planned.turns) {
    if (isNew) yield* putTurn(row, idempotencyKey)
    else yield* run(updateTurn, row, 'unread')
  }
  lastAppends.set(session, { state: after, turns: new Map(planned.turns.map(({ row }) => [row.turn, row])) })
  if (lastAppends.size > MOST_SESSIONS) lastAppends.delete(lastAppends.keys().next().value!)
  return planned.entries
}

function turnOf(body: EntryBody): string | null {
  return 'turn' in body ? body.turn : null
}

/** Entries that one statement writes: those of a step are few. */
const ROWS_AT_ONCE = 8
const entryColumns = ['session', 'seq', 'time', 'type', 'turn', 'data', 'digest', 'parts']
const insertEntries = Array.from({ length: ROWS_AT_ONCE }, (_, more): Query<never> => ({
  sql: insertRows('entries', entryColumns, more + 1),
}))

const changing = [
  'title',
  'updated',
  'turns',
  'entries',
  'tokens',
  'model',
  'head',
  'choices',
  'opening',
  'folder',
  'pinned',
  'state',
  'unended',
  'waiting',
  'chain',
] satisfies (keyof StoredState)[]

const insertSession = statement<StoredState>(insertInto('sessions', ['id', 'created', ...changing]))
const updateSession = statement<StoredState & { readonly chainBefore: string }>(
  `update sessions set ${changing.map((column) => `${column} = :${column}`).join(', ')}
    where id = :id and chain = :chainBefore`,
)

type StoredEntry = readonly [seq: number, time: string, data: string, parts: string | null]

export function* readEntries(session: string, options: EntriesOptions = {}): Sql<readonly Entry[]> {
  const { types, turn, after, upTo, last, limit = Number.MAX_SAFE_INTEGER } = options
  const { where: conditions, values } = where({
    'session = ?': session,
    // Its row knows where the entries of a turn begin and end, so that no other part of the session is read.
    [OF_TURN]: turn === undefined ? undefined : [turn, session, turn, session, turn],
    [`type in (${types?.map(() => '?').join()})`]: types,
    'seq > ?': after,
    'seq <= ?': upTo,
  })
  const query: Query<StoredEntry> = {
    sql: `${stored} ${conditions} order by seq ${last === undefined ? '' : 'desc'} limit ?`,
  }
  const found = yield* forEach(yield* tuples(query, [...values, last ?? limit]), (row) => toEntry(session, row))
  return last === undefined ? found : found.toReversed()
}

function* toEntry(session: string, [seq, time, data, parts]: StoredEntry): Sql<Entry> {
  try {
    const short = JSON.parse(data) as EntryBody
    return Object.assign(parts === null ? short : yield* withLongTexts(short, parts), { session, seq, time })
  } catch (cause) {
    throw new StoreError('corrupt', `the entry ${seq} of session ${session} is damaged: restore a backup`, { cause })
  }
}

const stored = 'select seq, time, data, parts from entries'
const OF_TURN = `turn = ? and seq between (select first_seq from turns where session = ? and turn = ?)
  and (select last_seq from turns where session = ? and turn = ?)`

export function* readEntry(session: string, seq: number): Sql<Entry | undefined> {
  const [found] = yield* tuples(entryBySeq, { session, seq })
  return found && (yield* toEntry(session, found))
}

/** The messages, ascending. Only what is theirs: each further column of a long history costs as much as parsing it. */
export const messageData = statement<
  { session: string; from: number; to: number },
  readonly [data: string, parts: string | null]
>(
  `select data, parts from entries where session = :session and seq >= :from and seq <= :to
    and type in ('input', 'edit', 'message') order by seq`,
)
const entryBySeq = statement<{ session: string; seq: number }, StoredEntry>(
  `${stored} where session = :session and seq = :seq`,
)

/** The turn of the newest entry of this type up to this `seq`. */
export const lastTurn = statement<{ session: string; upTo: number; type: string }, { turn: string | null }>(
  'select turn from entries where session = :session and seq <= :upTo and type = :type order by seq desc limit 1',
)
