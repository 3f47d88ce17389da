import type { CallOutcome, CallRecord } from '../entry.ts'
import { StoreError } from '../store-error.ts'
import type { CallsOptions } from '../store/call-store.ts'
import type { Connection } from './connection.ts'
import { type IdRange, idRange } from './id-range.ts'
import { plan, type Slot } from './plan.ts'
import { tables } from './tables.ts'

/** Outcomes are kept apart, so that finishing a call does not write its record again. */
export function putCall(connection: Connection, { outcome, ...record }: CallRecord): void {
  const { id, session = null } = record
  if (connection.get(callNumber, { id })) throw new StoreError('conflict', `there is a call ${id} already`)
  connection.run(insertCall, {
    id,
    session,
    record: JSON.stringify(record),
    outcome: outcome === undefined ? null : JSON.stringify(outcome),
  })
}

export function finishCall(connection: Connection, id: string, outcome: CallOutcome): void {
  const changed = connection.run(setOutcome, { id, outcome: JSON.stringify(outcome) })
  if (changed === 0) throw new StoreError('not-found', `there is no call ${id} to finish: put it first`)
}

export function call(connection: Connection, id: string): CallRecord | undefined {
  const row = connection.get(oneCall, { id })
  return row && recordOf(row)
}

/** In the order they were made. */
export function calls(connection: Connection, session: string, options: CallsOptions = {}): readonly CallRecord[] {
  const { last, after, limit = Number.MAX_SAFE_INTEGER } = options
  if (last !== undefined) return connection.all(newestCalls, { session, limit: last }).map(recordOf).toReversed()
  const number = after === undefined ? 0 : numberOf(connection, after)
  return connection.all(callsAfter, { session, number, limit }).map(recordOf)
}

/** Newest first, or by id those whose id begins so. */
export function findCalls(
  connection: Connection,
  { limit, beginning }: { readonly limit: number; readonly beginning?: string | undefined },
): readonly CallRecord[] {
  if (beginning === undefined) return connection.all(newestOfAll, { limit }).map(recordOf)
  return connection.all(callsBeginning, { ...idRange(beginning), limit }).map(recordOf)
}

function numberOf(connection: Connection, id: string): number {
  const row = connection.get(callNumber, { id })
  if (!row) throw new StoreError('not-found', `there is no call ${id} to go on after`)
  return row.number ?? 0
}

interface Row {
  readonly record: string
  readonly outcome: string | null
}

function recordOf({ record, outcome }: Row): CallRecord {
  const parsed = JSON.parse(record)
  return outcome === null ? parsed : { ...parsed, outcome: JSON.parse(outcome) }
}

const insertCall = plan((slot: Slot<Row & { id: string; session: string | null }>) =>
  tables
    .insertInto('calls')
    .values({ id: slot('id'), session: slot('session'), record: slot('record'), outcome: slot('outcome') }),
)

const setOutcome = plan((slot: Slot<{ id: string; outcome: string }>) =>
  tables
    .updateTable('calls')
    .set({ outcome: slot('outcome') })
    .where('id', '=', slot('id')),
)

const callNumber = plan((slot: Slot<{ id: string }>) =>
  tables.selectFrom('calls').select('number').where('id', '=', slot('id')),
)

const stored = tables.selectFrom('calls').select(['record', 'outcome'])

const oneCall = plan((slot: Slot<{ id: string }>) => stored.where('id', '=', slot('id')))

const newestCalls = plan((slot: Slot<{ session: string; limit: number }>) =>
  stored.where('session', '=', slot('session')).orderBy('number', 'desc').limit(slot('limit')),
)

const newestOfAll = plan((slot: Slot<{ limit: number }>) => stored.orderBy('number', 'desc').limit(slot('limit')))

const callsBeginning = plan((slot: Slot<IdRange & { limit: number }>) =>
  stored.where('id', '>=', slot('from')).where('id', '<', slot('below')).orderBy('id').limit(slot('limit')),
)

const callsAfter = plan((slot: Slot<{ session: string; number: number; limit: number }>) =>
  stored
    .where('session', '=', slot('session'))
    .where('number', '>', slot('number'))
    .orderBy('number')
    .limit(slot('limit')),
)
