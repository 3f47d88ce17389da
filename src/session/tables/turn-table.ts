import type { TurnRow } from '../log-store.ts'
import { StoreError } from '../store-error.ts'
import { run, type Sql, statement, tuples } from './sql.ts'
import { ofWholeSession } from './session-parts.ts'

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

export function* readTurn(session: string, id: string): Sql<TurnRow | undefined> {
  return (yield* tuples(turnById, { session, turn: id })).map(toTurnRow)[0]
}

/** The turn whose input has this idempotency key. */
export function* readTurnByKey(session: string, idempotencyKey: string): Sql<TurnRow | undefined> {
  return (yield* tuples(turnByKey, { session, idempotencyKey })).map(toTurnRow)[0]
}

/** The newest of those whose ordinal is below `before`, newest first. */
export function* readTurnsBefore(session: string, before: number, limit: number): Sql<readonly TurnRow[]> {
  return (yield* tuples(turnsBackwards, { session, before, limit })).map(toTurnRow)
}

/** The turn of this id and the newest of those before it, newest first. */
export function* readTurnsUpTo(session: string, turn: string, limit: number): Sql<readonly TurnRow[]> {
  return (yield* tuples(turnsUpTo, { session, turn, limit })).map(toTurnRow)
}

/** Those whose ordinal is above this one, ascending. */
export function* readTurnsAfter(session: string, ordinal: number): Sql<readonly TurnRow[]> {
  return (yield* tuples(turnsForwards, { session, ordinal })).map(toTurnRow)
}

/** The newest turn up to this ordinal that follows another one than the turn before it. */
export function* readBranchUpTo(session: string, ordinal: number): Sql<TurnRow | undefined> {
  return (yield* tuples(branchBackwards, { session, ordinal })).map(toTurnRow)[0]
}

/** The undone turns of a session whose ordinal is below `before`. */
export function* readUndoneTurnsBefore(session: string, before: number): Sql<readonly TurnRow[]> {
  return (yield* tuples(turnsUndone, { session, before })).map(toTurnRow)
}

/** Over all sessions, oldest first. */
export function* readUnfinishedTurns(): Sql<readonly TurnRow[]> {
  return (yield* tuples(turnsUnfinished, {})).map(toTurnRow)
}

function toTurnRow(tuple: TurnTuple): TurnRow {
  const [session, id, ordinal, firstSeq, lastSeq, state, inputTime, tokens, leastTokens, tokensBefore, parent] = tuple
  const row = { session, turn: id, ordinal, firstSeq, lastSeq, state, inputTime, tokens, leastTokens, tokensBefore }
  return parent === null ? row : { ...row, parent: parent === '' ? null : parent }
}

const turns = `select session, turn, ordinal, first_seq, last_seq, state, input_time, tokens, least_tokens, tokens_before, parent
  from turns`

const turnById = statement<{ session: string; turn: string }, TurnTuple>(
  `${turns} where session = :session and turn = :turn`,
)
const turnByKey = statement<{ session: string; idempotencyKey: string }, TurnTuple>(
  `${turns} where session = :session and idempotency_key = :idempotencyKey`,
)
const turnsBackwards = statement<{ session: string; before: number; limit: number }, TurnTuple>(
  `${turns} where session = :session and ordinal < :before order by ordinal desc limit :limit`,
)
const turnsUpTo = statement<{ session: string; turn: string; limit: number }, TurnTuple>(
  `${turns} where session = :session and ordinal <= (select ordinal from turns where session = :session and turn = :turn)
    order by ordinal desc limit :limit`,
)
const turnsForwards = statement<{ session: string; ordinal: number }, TurnTuple>(
  `${turns} where session = :session and ordinal > :ordinal order by ordinal`,
)

// The conditions of the next three are those of an index: `turns_branches`, `turns_undone`, `turns_unfinished`.
const branchBackwards = statement<{ session: string; ordinal: number }, TurnTuple>(
  `${turns} where session = :session and ordinal <= :ordinal and parent is not null order by ordinal desc limit 1`,
)
const turnsUndone = statement<{ session: string; before: number }, TurnTuple>(
  `${turns} where session = :session and ordinal < :before and state = 'undone'`,
)
const turnsUnfinished = statement<object, TurnTuple>(
  `${turns} where state in ('queued', 'running') and ${ofWholeSession}
    order by input_time, session, ordinal`,
)

/** Writes a new turn, whose id no other one of its session may have. */
export function* putTurn(row: TurnRow, idempotencyKey: string | null): Sql<void> {
  const parent = row.parent === null ? '' : (row.parent ?? null)
  if ((yield* run(insertTurn, { ...row, parent, idempotencyKey })) === 1) return
  throw new StoreError(
    'conflict',
    `Session ${row.session} has a turn ${row.turn} already. Give each input a turn of its own.`,
  )
}

const insertTurn = statement<
  Omit<TurnRow, 'parent'> & { readonly idempotencyKey: string | null; readonly parent: string | null }
>(
  `insert into turns (session, ordinal, turn, first_seq, last_seq, state, input_time, tokens, least_tokens, tokens_before,
      idempotency_key, parent)
    values (:session, :ordinal, :turn, :firstSeq, :lastSeq, :state, :inputTime, :tokens, :leastTokens, :tokensBefore,
      :idempotencyKey, :parent)
    on conflict (session, turn) do nothing`,
)
export const updateTurn = statement<TurnRow>(
  `update turns set last_seq = :lastSeq, state = :state, tokens = :tokens, least_tokens = :leastTokens,
      tokens_before = :tokensBefore
    where session = :session and ordinal = :ordinal`,
)
export const shiftTurns = statement<{ session: string; ordinal: number; tokens: number }>(
  'update turns set tokens_before = tokens_before + :tokens where session = :session and ordinal > :ordinal',
)
