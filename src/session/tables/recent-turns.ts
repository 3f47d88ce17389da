import { timeSlice } from '../../platform.ts'
import { type Entry, type MessageBody, withEdits } from '../entry.ts'
import type { RecentTurns, RecentTurnsOptions, TurnRow } from '../log-store.ts'
import { turnRowAfter } from '../append-plan.ts'
import { forEach, get, tuples, type Sql, type SqlReader } from './sql.ts'
import { readSessionRow } from './session-table.ts'
import { readEntries, lastTurn, messageData } from './entry-table.ts'
import { withLongTextsInSlices } from './text-parts.ts'
import { readBranchUpTo, readTurn, readTurnsBefore, readTurnsUpTo, readUndoneTurnsBefore } from './turn-table.ts'

/** Turns read at once. Small, since an unneeded row costs as much as a needed one. */
const PAGE = 64
const ALL = Number.MAX_SAFE_INTEGER

/** Reads no more of the session than it returns, however long the session is. */
export async function recentTurns(
  database: SqlReader,
  session: string,
  options: RecentTurnsOptions,
): Promise<RecentTurns> {
  const { rows, words, ...found } = await database.read(readRecentTurns(session, options), 'one-state')
  const work = timeSlice(database.clock)
  const turns = rows.map((row) => ({ row, messages: [] as MessageBody[] }))
  if (words === undefined) return { turns, ...found }
  const { known = () => false } = options
  const byTurn = new Map(turns.flatMap(({ row, messages }) => (known(row.turn) ? [] : [[row.turn, messages]])))
  for (const [data, parts] of words) {
    // Read in one moment, and parsed one by one: a message may have megabytes.
    if (work.isOver()) await work.rest()
    const short = JSON.parse(data) as MessageBody
    const body = parts === null ? short : await withLongTextsInSlices(database, short, parts)
    byTurn.get(body.turn)?.push(body)
  }
  return { turns: turns.map(({ row, messages }) => ({ row, messages: withEdits(messages) })), ...found }
}

interface StoredTurns extends Omit<RecentTurns, 'turns'> {
  readonly rows: readonly TurnRow[]
  /** As of an earlier `seq`, no row reaches beyond it, so no later message is read. Absent where the reader has all of them. */
  readonly words?: readonly (readonly [data: string, parts: string | null])[]
}

function* readRecentTurns(session: string, options: RecentTurnsOptions): Sql<StoredTurns> {
  const { notBefore, except } = options
  const answered = except !== undefined && notBefore === except ? yield* readTurn(session, except) : undefined
  if (answered) return { rows: [], earlier: yield* earlierThan(answered, options), undone: [] }
  const seen = yield* newestRows(session, options)
  const rows = seen.filter(({ state }) => state !== 'undone')
  const undone = yield* forEach(
    seen.filter(({ state }) => state === 'undone'),
    function* (row) {
      return { turn: row.turn, tokens: yield* fullTokens(row) }
    },
  )
  const oldest = seen[0]
  if (!oldest) return { rows, earlier: { turns: 0, tokens: 0 }, undone }
  const earlier = { turns: yield* countTurnsBefore(oldest, options), tokens: oldest.tokensBefore }
  const wanted = rows.filter(({ turn }) => !options.known?.(turn))
  if (wanted.length === 0) return { rows, earlier, undone }
  const from = wanted[0]!.firstSeq
  const to = wanted.reduce((last, { lastSeq }) => Math.max(last, lastSeq), 0)
  return { rows, earlier, undone, words: yield* tuples(messageData, { session, from, to }) }
}

/** What comes before the turn that is being answered. */
function* earlierThan(answered: TurnRow, options: RecentTurnsOptions): Sql<RecentTurns['earlier']> {
  const { upTo = ALL } = options
  const tokens = upTo === ALL ? answered.tokensBefore : yield* tokensBeforeAt(answered, upTo)
  return { turns: yield* countTurnsBefore(answered, options), tokens }
}

/** Counts the turns that lead to the oldest one, without those that were undone as of this `seq`. */
function* countTurnsBefore(oldest: TurnRow, { upTo = ALL }: RecentTurnsOptions): Sql<number> {
  const { session, ordinal } = oldest
  const newest = yield* ordinalBefore(oldest)
  if (newest === 0) return 0
  const undone: TurnRow[] = []
  for (const row of yield* readUndoneTurnsBefore(session, ordinal))
    if ((yield* turnRowUpTo(row, upTo)).state === 'undone') undone.push(row)
  let count = 0
  for (let last = newest; last > 0;) {
    const branch = yield* readBranchUpTo(session, last)
    const first = branch?.ordinal ?? 1
    count += last - first + 1 - undone.filter((row) => row.ordinal >= first && row.ordinal <= last).length
    last = branch === undefined ? 0 : yield* ordinalBefore(branch)
  }
  return count
}

function* fullTokens(row: TurnRow): Sql<number> {
  const messages = yield* readEntries(row.session, { turn: row.turn, types: ['input', 'edit', 'message'] })
  return turnRowAfter(row, messages).tokens
}

/** Ascending. */
function* newestRows(session: string, options: RecentTurnsOptions): Sql<readonly TurnRow[]> {
  const { limit, notBefore, upTo = ALL } = options
  const seen: TurnRow[] = []
  let sum = 0
  const walk = yield* newestFirst(session, options)
  for (let stored = yield* nextTurn(walk); stored; stored = yield* nextTurn(walk)) {
    const row = yield* turnRowUpTo(stored, upTo)
    seen.push(row)
    if (row.state !== 'queued') sum += row.leastTokens
    if (sum > limit || row.turn === notBefore) break
  }
  const oldest = seen.at(-1)
  if (!oldest) return []
  const tokensBefore = upTo === ALL ? oldest.tokensBefore : yield* tokensBeforeAt(oldest, upTo)
  return shiftRows(tokensBefore, seen.toReversed()).filter((row) => row.state !== 'queued')
}

/** A walk from the turn of an ordinal over the turns that lead to it, newest first. */
interface Walk {
  readonly session: string
  ordinal: number
  page: readonly TurnRow[]
  at: number
  row: TurnRow | undefined
}

const BEGUN = { page: [], at: 0, row: undefined }

/** The next turn of a walk; `undefined` after the last. */
function* nextTurn(walk: Walk): Sql<TurnRow | undefined> {
  if (walk.row) walk.ordinal = yield* ordinalBefore(walk.row)
  while (walk.ordinal > 0) {
    if (walk.at === walk.page.length) {
      walk.page = yield* readTurnsBefore(walk.session, walk.ordinal + 1, PAGE)
      if (walk.page.length === 0) return undefined
      // The newest of a session may be asked for with any ordinal above it.
      walk.ordinal = Math.min(walk.ordinal, walk.page[0]!.ordinal)
      walk.at = 0
    }
    walk.row = walk.page[walk.at]!
    walk.at += 1
    // Turns of other branches stand between.
    if (walk.row.ordinal === walk.ordinal) return walk.row
  }
  return undefined
}

/** The ordinal of the turn that a turn follows; 0: none. */
function* ordinalBefore({ session, ordinal, parent }: TurnRow): Sql<number> {
  if (parent === undefined) return ordinal - 1
  return parent === null ? 0 : yield* ordinalOf(session, parent)
}

function* ordinalOf(session: string, turn: string): Sql<number> {
  return (yield* readTurn(session, turn))?.ordinal ?? 0
}

/** The walk from the turn before the one that is being answered, or else from the newest one: turns that do not lead there are never read. */
function* newestFirst(session: string, { except, upTo = ALL }: RecentTurnsOptions): Sql<Walk> {
  const page = except === undefined ? [] : yield* readTurnsUpTo(session, except, PAGE)
  const [answered] = page
  if (answered && answered.firstSeq <= upTo) return { session, ordinal: answered.ordinal, page, at: 1, row: answered }
  return { ...BEGUN, session, ordinal: yield* newestOrdinal(session, upTo) }
}

function* newestOrdinal(session: string, upTo: number): Sql<number> {
  if (upTo === ALL) {
    const head = (yield* readSessionRow(session))?.head
    return head === undefined ? ALL : head === null ? 0 : yield* ordinalOf(session, head)
  }
  const [moved] = yield* readEntries(session, { types: ['branch', 'input'], upTo, last: 1 })
  if (moved?.type === 'branch') return moved.head === null ? 0 : yield* ordinalOf(session, moved.head)
  return moved?.type === 'input' ? yield* ordinalOf(session, moved.turn) : 0
}

function* lastOrdinal(session: string, upTo: number, type: Entry['type']): Sql<number> {
  const newest = (yield* get(lastTurn, { session, upTo, type }))?.turn
  return (newest && (yield* readTurn(session, newest))?.ordinal) || 0
}

function* turnRowUpTo(row: TurnRow, upTo: number): Sql<TurnRow> {
  if (row.lastSeq <= upTo) return row
  return turnRowAfter(row, yield* readEntries(row.session, { turn: row.turn, upTo }))
}

/**
 * `tokensBefore` without what earlier turns gained later. Turns run in order, so only the one that was started last, and
 * those that waited after it, can have grown.
 */
function* tokensBeforeAt(oldest: TurnRow, upTo: number): Sql<number> {
  const started = yield* lastOrdinal(oldest.session, upTo, 'turn-start')
  let tokensBefore = oldest.tokensBefore
  const walk: Walk = { ...BEGUN, session: oldest.session, ordinal: yield* ordinalBefore(oldest) }
  for (let row = yield* nextTurn(walk); row; row = yield* nextTurn(walk)) {
    // An undone turn proves nothing about the turns before it.
    if (row.ordinal < started && row.lastSeq <= upTo && row.state !== 'undone') break
    tokensBefore -= row.tokens - (yield* turnRowUpTo(row, upTo)).tokens
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
