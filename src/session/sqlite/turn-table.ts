import { sql } from 'kysely'
import type { TurnRow } from '../store/log-store.ts'
import type { Connection } from './connection.ts'
import { plan, type Slot } from './plan.ts'
import { tables } from './tables.ts'

interface Key {
  readonly session: string
  readonly turn: string
}

type Written = TurnRow & { readonly idempotencyKey: string | null }

/** The columns of a turn in the order of `columns`. */
type TurnTuple = readonly [
  session: string,
  turn: string,
  ordinal: number,
  firstSeq: number,
  lastSeq: number,
  state: TurnRow['state'],
  inputTime: string,
  tokens: number,
  leastTokens: number,
  tokensBefore: number,
]

const columns = [
  'session',
  'turn',
  'ordinal',
  'first_seq',
  'last_seq',
  'state',
  'input_time',
  'tokens',
  'least_tokens',
  'tokens_before',
] as const

export function turn(connection: Connection, session: string, id: string): TurnRow | undefined {
  return connection.tuples(turnById, { session, turn: id }).map(turnOf)[0]
}

/** The turn whose input was admitted with this key. */
export function turnOfKey(connection: Connection, session: string, idempotencyKey: string): TurnRow | undefined {
  return connection.tuples(turnByKey, { session, idempotencyKey }).map(turnOf)[0]
}

/** The newest of those whose ordinal is below `before`, newest first. */
export function turnsBefore(
  connection: Connection,
  session: string,
  before: number,
  limit: number,
): readonly TurnRow[] {
  return connection.tuples(turnsBackwards, { session, before, limit }).map(turnOf)
}

/** Those of a session that were taken back and whose ordinal is below `before`. */
export function undoneTurnsBefore(connection: Connection, session: string, before: number): readonly TurnRow[] {
  return connection.tuples(turnsUndone, { session, before }).map(turnOf)
}

/** Over all sessions, oldest first. */
export function unfinishedTurns(connection: Connection): readonly TurnRow[] {
  return connection.tuples(turnsUnfinished, {}).map(turnOf)
}

function turnOf(tuple: TurnTuple): TurnRow {
  const [session, id, ordinal, firstSeq, lastSeq, state, inputTime, tokens, leastTokens, tokensBefore] = tuple
  return { session, turn: id, ordinal, firstSeq, lastSeq, state, inputTime, tokens, leastTokens, tokensBefore }
}

const turns = tables.selectFrom('turns').select(columns).$castTo<TurnTuple>()

const turnById = plan((slot: Slot<Key>) =>
  turns.where('session', '=', slot('session')).where('turn', '=', slot('turn')),
)

const turnByKey = plan((slot: Slot<{ session: string; idempotencyKey: string }>) =>
  turns.where('session', '=', slot('session')).where('idempotency_key', '=', slot('idempotencyKey')),
)

const turnsBackwards = plan((slot: Slot<{ session: string; before: number; limit: number }>) =>
  turns
    .where('session', '=', slot('session'))
    .where('ordinal', '<', slot('before'))
    .orderBy('ordinal', 'desc')
    .limit(slot('limit')),
)

/** In the words of the index `turns_undone`. */
const turnsUndone = plan((slot: Slot<{ session: string; before: number }>) =>
  turns
    .where('session', '=', slot('session'))
    .where('ordinal', '<', slot('before'))
    .where(sql<boolean>`state = 'undone'`),
)

/** In the words of the index `turns_unfinished`. */
const turnsUnfinished = plan((_slot: Slot<object>) =>
  turns
    .where(sql<boolean>`state in ('queued', 'running')`)
    .orderBy('input_time')
    .orderBy('session')
    .orderBy('ordinal'),
)

export const insertTurn = plan((slot: Slot<Written>) =>
  tables.insertInto('turns').values({
    session: slot('session'),
    ordinal: slot('ordinal'),
    turn: slot('turn'),
    first_seq: slot('firstSeq'),
    last_seq: slot('lastSeq'),
    state: slot('state'),
    input_time: slot('inputTime'),
    tokens: slot('tokens'),
    least_tokens: slot('leastTokens'),
    tokens_before: slot('tokensBefore'),
    idempotency_key: slot('idempotencyKey'),
  }),
)

export const updateTurn = plan((slot: Slot<TurnRow>) =>
  tables
    .updateTable('turns')
    .set({
      last_seq: slot('lastSeq'),
      state: slot('state'),
      tokens: slot('tokens'),
      least_tokens: slot('leastTokens'),
      tokens_before: slot('tokensBefore'),
    })
    .where('session', '=', slot('session'))
    .where('ordinal', '=', slot('ordinal')),
)

export const shiftTurns = plan((slot: Slot<{ session: string; ordinal: number; tokens: number }>) =>
  tables
    .updateTable('turns')
    .set((row) => ({ tokens_before: row('tokens_before', '+', slot('tokens')) }))
    .where('session', '=', slot('session'))
    .where('ordinal', '>', slot('ordinal')),
)
