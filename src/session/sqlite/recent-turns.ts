import type { Entry, MessageBody } from '../entry.ts'
import type { RecentTurns, RecentTurnsOptions, TurnRow } from '../log-store.ts'
import { turnRowAfter } from '../append-plan.ts'
import type { StoreConnection } from './connection.ts'
import { readEntries, lastTurn, messageData } from './entry-table.ts'
import { readTurn, readTurnsBefore, readUndoneTurnsBefore } from './turn-table.ts'

/** Turns read at once. Small, since an unneeded row costs as much as a needed one. */
const PAGE = 64
const ALL = Number.MAX_SAFE_INTEGER

/** Reads no more of the session than it returns, however long the session is. */
export function recentTurns(connection: StoreConnection, session: string, options: RecentTurnsOptions): RecentTurns {
  const seen = newestRows(connection, session, options)
  const rows = seen.filter(({ state }) => state !== 'undone')
  const undone = seen
    .filter(({ state }) => state === 'undone')
    .map((row) => ({ turn: row.turn, tokens: fullTokens(connection, row) }))
  const oldest = seen[0]
  if (!oldest) return { turns: [], earlier: { turns: 0, tokens: 0 }, undone }
  return {
    turns: rows.length === 0 ? [] : readWords(connection, session, rows, options.known),
    earlier: { turns: countTurnsBefore(connection, oldest, options), tokens: oldest.tokensBefore },
    undone,
  }
}

/** Counts the turns before the oldest one, without those that were undone as of this `seq`. */
function countTurnsBefore(
  connection: StoreConnection,
  { session, ordinal }: TurnRow,
  { upTo = ALL }: RecentTurnsOptions,
): number {
  const undone = readUndoneTurnsBefore(connection, session, ordinal).filter(
    (row) => turnRowUpTo(connection, row, upTo).state === 'undone',
  )
  return ordinal - 1 - undone.length
}

/** The full tokens of an undone turn. */
function fullTokens(connection: StoreConnection, row: TurnRow): number {
  const messages = readEntries(connection, row.session, { turn: row.turn, types: ['input', 'message'] })
  return turnRowAfter(row, messages).tokens
}

/** Ascending. */
function newestRows(connection: StoreConnection, session: string, options: RecentTurnsOptions): readonly TurnRow[] {
  const { limit, notBefore, upTo = ALL } = options
  const seen: TurnRow[] = []
  let sum = 0
  for (const stored of readBackwards(connection, session, firstOrdinalLeftOut(connection, session, options))) {
    const row = turnRowUpTo(connection, stored, upTo)
    seen.push(row)
    if (row.state !== 'queued') sum += row.leastTokens
    if (sum > limit || row.turn === notBefore) break
  }
  const oldest = seen.at(-1)
  if (!oldest) return []
  const tokensBefore = upTo === ALL ? oldest.tokensBefore : tokensBeforeAt(connection, oldest, upTo)
  return shiftRows(tokensBefore, seen.toReversed()).filter((row) => row.state !== 'queued')
}

function* readBackwards(connection: StoreConnection, session: string, before: number): Generator<TurnRow> {
  for (;;) {
    const page = readTurnsBefore(connection, session, before, PAGE)
    yield* page
    if (page.length < PAGE) return
    before = page.at(-1)!.ordinal
  }
}

/** The ordinal where the walk backwards begins: later turns are never read. */
function firstOrdinalLeftOut(
  connection: StoreConnection,
  session: string,
  { except, upTo = ALL }: RecentTurnsOptions,
): number {
  const answered = except === undefined ? undefined : readTurn(connection, session, except)?.ordinal
  const newest = upTo === ALL ? ALL : lastOrdinal(connection, session, upTo, 'input') + 1
  return Math.min(answered ?? ALL, newest)
}

function lastOrdinal(connection: StoreConnection, session: string, upTo: number, type: Entry['type']): number {
  const newest = connection.get(lastTurn, { session, upTo, type })?.turn
  return (newest && readTurn(connection, session, newest)?.ordinal) || 0
}

function turnRowUpTo(connection: StoreConnection, row: TurnRow, upTo: number): TurnRow {
  if (row.lastSeq <= upTo) return row
  return turnRowAfter(row, readEntries(connection, row.session, { turn: row.turn, upTo }))
}

/**
 * `tokensBefore` without what earlier turns gained later. Turns run in order, so only the one that was started last, and
 * those that waited after it, can have grown.
 */
function tokensBeforeAt(connection: StoreConnection, oldest: TurnRow, upTo: number): number {
  const started = lastOrdinal(connection, oldest.session, upTo, 'turn-start')
  let tokensBefore = oldest.tokensBefore
  for (const row of readBackwards(connection, oldest.session, oldest.ordinal)) {
    // An undone turn proves nothing about the turns before it.
    if (row.ordinal < started && row.lastSeq <= upTo && row.state !== 'undone') break
    tokensBefore -= row.tokens - turnRowUpTo(connection, row, upTo).tokens
  }
  return tokensBefore
}

function shiftRows(tokensBefore: number, rows: readonly TurnRow[]): readonly TurnRow[] {
  return rows.map((row) => {
    const placed = row.tokensBefore === tokensBefore ? row : { ...row, tokensBefore }
    tokensBefore += row.tokens
    return placed
  })
}

/** Reads the messages of turns. As of an earlier `seq`, no row reaches beyond it, so no later message is read. */
function readWords(
  connection: StoreConnection,
  session: string,
  rows: readonly TurnRow[],
  known: RecentTurnsOptions['known'] = () => false,
): RecentTurns['turns'] {
  const turns = rows.map((row) => ({ row, messages: [] as MessageBody[] }))
  const wanted = turns.filter(({ row }) => !known(row.turn))
  if (wanted.length === 0) return turns
  const byTurn = new Map(wanted.map(({ row, messages }) => [row.turn, messages]))
  const from = wanted[0]!.row.firstSeq
  const to = wanted.reduce((last, { row }) => Math.max(last, row.lastSeq), 0)
  for (const [data] of connection.tuples(messageData, { session, from, to })) {
    const body = JSON.parse(data) as MessageBody
    byTurn.get(body.turn)?.push(body)
  }
  return turns
}
