import { timeSlice } from '../../platform.ts'
import type { Entry, MessageBody } from '../entry.ts'
import type { RecentTurns, RecentTurnsOptions, TurnRow } from '../log-store.ts'
import { turnRowAfter } from '../append-plan.ts'
import type { StoreConnection } from './connection.ts'
import { readSessionRow } from './session-table.ts'
import { readEntries, lastTurn, messageData } from './entry-table.ts'
import { withEdits } from '../edits.ts'
import { withLongTextsInSlices } from './text-parts.ts'
import { readBranchUpTo, readTurn, readTurnsBefore, readUndoneTurnsBefore } from './turn-table.ts'

/** Turns read at once. Small, since an unneeded row costs as much as a needed one. */
const PAGE = 64
const ALL = Number.MAX_SAFE_INTEGER

/** Reads no more of the session than it returns, however long the session is. */
export async function recentTurns(
  connection: StoreConnection,
  session: string,
  options: RecentTurnsOptions,
): Promise<RecentTurns> {
  const { notBefore, except } = options
  const answered = except !== undefined && notBefore === except ? readTurn(connection, session, except) : undefined
  if (answered) return { turns: [], earlier: earlierThan(connection, answered, options), undone: [] }
  const seen = newestRows(connection, session, options)
  const rows = seen.filter(({ state }) => state !== 'undone')
  const undone = seen
    .filter(({ state }) => state === 'undone')
    .map((row) => ({ turn: row.turn, tokens: fullTokens(connection, row) }))
  const oldest = seen[0]
  if (!oldest) return { turns: [], earlier: { turns: 0, tokens: 0 }, undone }
  const earlier = { turns: countTurnsBefore(connection, oldest, options), tokens: oldest.tokensBefore }
  return { turns: rows.length === 0 ? [] : await readWords(connection, session, rows, options.known), earlier, undone }
}

/** What comes before the turn that is being answered. */
function earlierThan(
  connection: StoreConnection,
  answered: TurnRow,
  options: RecentTurnsOptions,
): RecentTurns['earlier'] {
  const { upTo = ALL } = options
  const tokens = upTo === ALL ? answered.tokensBefore : tokensBeforeAt(connection, answered, upTo)
  return { turns: countTurnsBefore(connection, answered, options), tokens }
}

/** Counts the turns that lead to the oldest one, without those that were undone as of this `seq`. */
function countTurnsBefore(connection: StoreConnection, oldest: TurnRow, { upTo = ALL }: RecentTurnsOptions): number {
  const { session, ordinal } = oldest
  const newest = ordinalBefore(connection, oldest)
  if (newest === 0) return 0
  const undone = readUndoneTurnsBefore(connection, session, ordinal).filter(
    (row) => turnRowUpTo(connection, row, upTo).state === 'undone',
  )
  let count = 0
  for (let last = newest; last > 0;) {
    const branch = readBranchUpTo(connection, session, last)
    const first = branch?.ordinal ?? 1
    count += last - first + 1 - undone.filter((row) => row.ordinal >= first && row.ordinal <= last).length
    last = branch === undefined ? 0 : ordinalBefore(connection, branch)
  }
  return count
}

function fullTokens(connection: StoreConnection, row: TurnRow): number {
  const messages = readEntries(connection, row.session, { turn: row.turn, types: ['input', 'edit', 'message'] })
  return turnRowAfter(row, messages).tokens
}

/** Ascending. */
function newestRows(connection: StoreConnection, session: string, options: RecentTurnsOptions): readonly TurnRow[] {
  const { limit, notBefore, upTo = ALL } = options
  const seen: TurnRow[] = []
  let sum = 0
  for (const stored of readBackwards(connection, session, newestOrdinal(connection, session, options))) {
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

/** The turn of this ordinal and the turns that lead to it, newest first. */
function* readBackwards(connection: StoreConnection, session: string, ordinal: number): Generator<TurnRow> {
  for (let next = ordinal; next > 0;) {
    const page = readTurnsBefore(connection, session, next + 1, PAGE)
    if (page.length === 0) return
    // The newest of a session may be asked for with any ordinal above it.
    next = Math.min(next, page[0]!.ordinal)
    for (const row of page) {
      // Turns of other branches stand between.
      if (row.ordinal !== next) continue
      yield row
      next = ordinalBefore(connection, row)
    }
  }
}

/** The ordinal of the turn that a turn follows; 0: none. */
function ordinalBefore(connection: StoreConnection, { session, ordinal, parent }: TurnRow): number {
  if (parent === undefined) return ordinal - 1
  return parent === null ? 0 : ordinalOf(connection, session, parent)
}

function ordinalOf(connection: StoreConnection, session: string, turn: string): number {
  return readTurn(connection, session, turn)?.ordinal ?? 0
}

/** The ordinal where the walk backwards begins: turns that do not lead there are never read. */
function newestOrdinal(
  connection: StoreConnection,
  session: string,
  { except, upTo = ALL }: RecentTurnsOptions,
): number {
  const answered = except === undefined ? undefined : readTurn(connection, session, except)
  if (answered && answered.firstSeq <= upTo) return ordinalBefore(connection, answered)
  if (upTo === ALL) {
    const head = readSessionRow(connection, session)?.head
    return head === undefined ? ALL : head === null ? 0 : ordinalOf(connection, session, head)
  }
  const [moved] = readEntries(connection, session, { types: ['branch', 'input'], upTo, last: 1 })
  if (moved?.type === 'branch') return moved.head === null ? 0 : ordinalOf(connection, session, moved.head)
  return moved?.type === 'input' ? ordinalOf(connection, session, moved.turn) : 0
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
  for (const row of readBackwards(connection, oldest.session, ordinalBefore(connection, oldest))) {
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
async function readWords(
  connection: StoreConnection,
  session: string,
  rows: readonly TurnRow[],
  known: RecentTurnsOptions['known'] = () => false,
): Promise<RecentTurns['turns']> {
  const work = timeSlice(connection.clock)
  const turns = rows.map((row) => ({ row, messages: [] as MessageBody[] }))
  const wanted = turns.filter(({ row }) => !known(row.turn))
  if (wanted.length === 0) return turns
  const byTurn = new Map(wanted.map(({ row, messages }) => [row.turn, messages]))
  const from = wanted[0]!.row.firstSeq
  const to = wanted.reduce((last, { row }) => Math.max(last, row.lastSeq), 0)
  for (const [data, parts] of connection.tuples(messageData, { session, from, to })) {
    // Read in one moment, and parsed one by one: a message may have megabytes.
    if (work.isOver()) await work.rest()
    const short = JSON.parse(data) as MessageBody
    const body = parts === null ? short : await withLongTextsInSlices(connection, short, parts)
    byTurn.get(body.turn)?.push(body)
  }
  return turns.map(({ row, messages }) => ({ row, messages: withEdits(messages) }))
}
