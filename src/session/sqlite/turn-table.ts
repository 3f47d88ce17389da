import { sql } from 'kysely'
import type { TurnRow } from '../log-store.ts'
import type { StoreConnection } from './connection.ts'
import { plan, type Parameter, tables } from './tables.ts'

interface Key {
  readonly session: string
  readonly turn: string
}

type Written = Omit<TurnRow, 'parent'> & { readonly idempotencyKey: string | null; readonly parent: string | null }

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
  parent: string | null,
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
  'parent',
] as const

export function readTurn(connection: StoreConnection, session: string, id: string): TurnRow | undefined {
  return connection.tuples(turnById, { session, turn: id }).map(toTurnRow)[0]
}

/** The turn whose input has this idempotency key. */
export function readTurnByKey(
  connection: StoreConnection,
  session: string,
  idempotencyKey: string,
): TurnRow | undefined {
  return connection.tuples(turnByKey, { session, idempotencyKey }).map(toTurnRow)[0]
}

/** The newest of those whose ordinal is below `before`, newest first. */
export function readTurnsBefore(
  connection: StoreConnection,
  session: string,
  before: number,
  limit: number,
): readonly TurnRow[] {
  return connection.tuples(turnsBackwards, { session, before, limit }).map(toTurnRow)
}

/** Those whose ordinal is above this one, ascending. */
export function readTurnsAfter(connection: StoreConnection, session: string, ordinal: number): readonly TurnRow[] {
  return connection.tuples(turnsForwards, { session, ordinal }).map(toTurnRow)
}

/** The newest turn up to this ordinal that follows another one than the turn before it. */
export function readBranchUpTo(connection: StoreConnection, session: string, ordinal: number): TurnRow | undefined {
  return connection.tuples(branchBackwards, { session, ordinal }).map(toTurnRow)[0]
}

/** The undone turns of a session whose ordinal is below `before`. */
export function readUndoneTurnsBefore(
  connection: StoreConnection,
  session: string,
  before: number,
): readonly TurnRow[] {
  return connection.tuples(turnsUndone, { session, before }).map(toTurnRow)
}

/** Over all sessions, oldest first. */
export function readUnfinishedTurns(connection: StoreConnection): readonly TurnRow[] {
  return connection.tuples(turnsUnfinished, {}).map(toTurnRow)
}

function toTurnRow(tuple: TurnTuple): TurnRow {
  const [session, id, ordinal, firstSeq, lastSeq, state, inputTime, tokens, leastTokens, tokensBefore, parent] = tuple
  const row = { session, turn: id, ordinal, firstSeq, lastSeq, state, inputTime, tokens, leastTokens, tokensBefore }
  return parent === null ? row : { ...row, parent: parent === '' ? null : parent }
}

const turns = tables.selectFrom('turns').select(columns).$castTo<TurnTuple>()

const turnById = plan((param: Parameter<Key>) =>
  turns.where('session', '=', param('session')).where('turn', '=', param('turn')),
)

const turnByKey = plan((param: Parameter<{ session: string; idempotencyKey: string }>) =>
  turns.where('session', '=', param('session')).where('idempotency_key', '=', param('idempotencyKey')),
)

const turnsBackwards = plan((param: Parameter<{ session: string; before: number; limit: number }>) =>
  turns
    .where('session', '=', param('session'))
    .where('ordinal', '<', param('before'))
    .orderBy('ordinal', 'desc')
    .limit(param('limit')),
)

const turnsForwards = plan((param: Parameter<{ session: string; ordinal: number }>) =>
  turns.where('session', '=', param('session')).where('ordinal', '>', param('ordinal')).orderBy('ordinal'),
)

/** The condition is that of the index `turns_branches`. */
const branchBackwards = plan((param: Parameter<{ session: string; ordinal: number }>) =>
  turns
    .where('session', '=', param('session'))
    .where('ordinal', '<=', param('ordinal'))
    .where('parent', 'is not', null)
    .orderBy('ordinal', 'desc')
    .limit(sql.lit(1)),
)

/** The condition is that of the index `turns_undone`. */
const turnsUndone = plan((param: Parameter<{ session: string; before: number }>) =>
  turns
    .where('session', '=', param('session'))
    .where('ordinal', '<', param('before'))
    .where(sql<boolean>`state = 'undone'`),
)

/** The condition is that of the index `turns_unfinished`. */
const turnsUnfinished = plan((_param: Parameter<object>) =>
  turns
    .where(sql<boolean>`state in ('queued', 'running')`)
    .orderBy('input_time')
    .orderBy('session')
    .orderBy('ordinal'),
)

export const insertTurn = plan((param: Parameter<Written>) =>
  tables.insertInto('turns').values({
    session: param('session'),
    ordinal: param('ordinal'),
    turn: param('turn'),
    first_seq: param('firstSeq'),
    last_seq: param('lastSeq'),
    state: param('state'),
    input_time: param('inputTime'),
    tokens: param('tokens'),
    least_tokens: param('leastTokens'),
    tokens_before: param('tokensBefore'),
    idempotency_key: param('idempotencyKey'),
    parent: param('parent'),
  }),
)

export const updateTurn = plan((param: Parameter<TurnRow>) =>
  tables
    .updateTable('turns')
    .set({
      last_seq: param('lastSeq'),
      state: param('state'),
      tokens: param('tokens'),
      least_tokens: param('leastTokens'),
      tokens_before: param('tokensBefore'),
    })
    .where('session', '=', param('session'))
    .where('ordinal', '=', param('ordinal')),
)

export const shiftTurns = plan((param: Parameter<{ session: string; ordinal: number; tokens: number }>) =>
  tables
    .updateTable('turns')
    .set((row) => ({ tokens_before: row('tokens_before', '+', param('tokens')) }))
    .where('session', '=', param('session'))
    .where('ordinal', '>', param('ordinal')),
)
