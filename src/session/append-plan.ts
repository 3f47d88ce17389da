import { applyChoice, parseChoices } from './choices.ts'
import type { Entry, EntryBody, EntryType } from './entry.ts'
import type { SessionRow, TurnRow } from './log-store.ts'
import { labelAfter, newLabel, type StoredLabel } from './session-list.ts'
import { StoreError } from './store-error.ts'
import type { Sql } from './tables/sql.ts'
import { readTurn, readTurnByKey, readTurnsAfter } from './tables/turn-table.ts'

/** What a backend has to write for one `append`. */
export interface AppendPlan {
  readonly session: StoredSession
  readonly isNewSession: boolean
  readonly entries: readonly Entry[]
  readonly turns: readonly PlannedTurn[]
  /** Turns after `ordinal` that are not among `turns`: their `tokensBefore` grows. */
  readonly shifts: readonly Shift[]
}

/** A projection of the log: one line for each session. */
export interface StoredSession
  extends StoredLabel, Pick<SessionRow, 'id' | 'created' | 'updated' | 'turns' | 'entries'> {
  readonly title: string | null
  /** Sum of `tokens` over its turns. */
  readonly tokens: number
  readonly model: string | null
  /** The turn that the next one follows; empty: none. `null`: the newest one, and no turn has ever followed another. */
  readonly head: string | null
  /** Ids by the name of the choice, JSON. */
  readonly choices: string
}

interface PlannedTurn {
  readonly row: TurnRow
  readonly isNew: boolean
  readonly idempotencyKey?: string
}

interface Shift {
  readonly ordinal: number
  readonly tokens: number
}

/** What is known of a session before. */
export interface AppendTarget {
  readonly session: StoredSession | undefined
  /** Some of its turns, by their ids. The others are read. */
  readonly turns: ReadonlyMap<string, TurnRow> | undefined
}

/**
 * Decides what one `append` changes, for any backend.
 *
 * The turns of a session run in order, but a later one may be admitted while an earlier one still grows. So tokens that
 * are added to a turn are also added to the `tokensBefore` of the turns after it, which are the few in the queue.
 *
 * @throws StoreError `conflict`, `not-found`
 */
export function* planAppend(
  stored: AppendTarget,
  id: string,
  bodies: readonly EntryBody[],
  time: string,
): Sql<AppendPlan> {
  const isNewSession = stored.session === undefined && bodies[0]?.type === 'session-start'
  const known = isNewSession ? { ...NEW_SESSION, id, created: time, updated: time } : stored.session
  if (!known) throw new StoreError('not-found', `There is no session ${id}. A session-start entry begins it.`)

  const draft: Draft = { stored, id, time, session: known, turns: new Map(), turnsByKey: new Map(), shifts: [] }
  const { turns, shifts } = draft
  const entries: Entry[] = []
  for (const body of bodies) {
    const seq: number = draft.session.entries + 1
    if (body.type === 'session-start' && seq > 1)
      throw new StoreError(
        'conflict',
        `There is a session ${id} already. Choose another id, or append without session-start.`,
      )
    const place: Place | undefined = body.type === 'input' ? yield* placeAfter(draft, body) : undefined
    if (body.type === 'branch') yield* refuseUndone(draft, body.head)
    draft.session = { ...sessionAfter(draft.session, body, time), ...(place && { head: place.head }) }
    entries.push({ ...body, session: id, seq, time })
    if (!('turn' in body)) {
      draft.session = { ...draft.session, ...labelAfter(draft.session, body, undefined) }
      continue
    }

    const before = body.type === 'input' ? yield* admit(draft, body, seq, place!) : yield* plannedTurn(draft, body.turn)
    refuseSettled(before.row, body)
    if (body.type === 'edit') refuseBegun(before.row)
    draft.session = { ...draft.session, ...labelAfter(draft.session, body, before.row) }
    if (body.type === 'head') yield* refuseFollowed(draft, before.row)
    const row = afterEntry(before.row, seq, body)
    turns.set(body.turn, { ...before, row })
    yield* grow(draft, row, row.tokens - before.row.tokens)
  }
  return { session: draft.session, isNewSession, entries, turns: [...turns.values()], shifts }
}

/** What is planned so far. */
interface Draft {
  readonly stored: AppendTarget
  readonly id: string
  readonly time: string
  session: StoredSession
  readonly turns: Map<string, PlannedTurn>
  readonly turnsByKey: Map<string, string>
  readonly shifts: Shift[]
}

/** Where a new turn stands among the turns of the session, and the head of the session with it. */
function* placeAfter(draft: Draft, { parent, turn }: EntryBody & { type: 'input' }): Sql<Place> {
  const { session } = draft
  const { head, turns: newest, tokens } = session
  const moved = head === null ? null : turn
  const named = parent === undefined ? head : (parent ?? '')
  if (named === null) return { head, tokensBefore: tokens }
  if (named === '')
    return newest === 0 ? { head: moved, tokensBefore: 0 } : { head: turn, parent: null, tokensBefore: 0 }
  const { row } = yield* plannedTurn(draft, named)
  if (parent !== undefined) yield* refuseUndone(draft, named)
  const tokensBefore = row.tokensBefore + row.tokens
  if (row.ordinal < newest) return { head: turn, parent: named, tokensBefore }
  return { head: moved, tokensBefore }
}

function* refuseUndone(draft: Draft, turn: string | null): Sql<void> {
  const { id } = draft
  if (turn === null || (yield* plannedTurn(draft, turn)).row.state !== 'undone') return
  throw new StoreError('conflict', `Turn ${turn} of session ${id} was undone. The conversation cannot go on after it.`)
}

function* refuseFollowed(draft: Draft, row: TurnRow): Sql<void> {
  const { id } = draft
  // One that waited until now was read by nobody: those that wait behind it follow the turn before it.
  if ((yield* storedTurn(draft, row.turn))?.state === 'queued') return
  const follower = (yield* followers(draft, row)).find(({ state }) => state !== 'undone')
  if (!follower) return
  throw new StoreError(
    'conflict',
    `Turn ${row.turn} of session ${id} is followed by ${follower.turn}. It cannot be undone.`,
  )
}

/** The turns that follow a turn, directly or through others, where the session has branches. */
function* followers(draft: Draft, { ordinal, turn }: TurnRow): Sql<readonly TurnRow[]> {
  const { session, turns } = draft
  if (session.head === null) return []
  const known: TurnRow[] = []
  for (const { turn: id } of yield* readTurnsAfter(draft.id, ordinal)) known.push((yield* plannedTurn(draft, id)).row)
  const later = [
    ...known,
    ...[...turns.values()].flatMap(({ row, isNew }) => (isNew && row.ordinal > ordinal ? [row] : [])),
  ]
  const lead = new Map([[ordinal, turn]])
  return later.filter((row) => {
    const follows = row.parent === undefined ? lead.has(row.ordinal - 1) : [...lead.values()].includes(row.parent ?? '')
    if (follows) lead.set(row.ordinal, row.turn)
    return follows
  })
}

function* admit(
  draft: Draft,
  body: EntryBody & { type: 'input' },
  seq: number,
  { parent, tokensBefore }: Place,
): Sql<PlannedTurn> {
  const { id, session, time, turns } = draft
  // One that is in the store is found when the turn is written.
  if (turns.has(body.turn)) {
    throw new StoreError(
      'conflict',
      `Session ${id} has a turn ${body.turn} already. Give each input a turn of its own.`,
    )
  }
  const { idempotencyKey } = body
  if (idempotencyKey !== undefined) yield* useKey(draft, idempotencyKey, body.turn)
  const row: TurnRow = {
    session: id,
    turn: body.turn,
    ordinal: session.turns,
    firstSeq: seq,
    lastSeq: seq,
    state: 'queued',
    inputTime: time,
    tokens: 0,
    leastTokens: 0,
    tokensBefore,
    ...(parent === undefined ? {} : { parent }),
  }
  return { row, isNew: true, ...(idempotencyKey !== undefined && { idempotencyKey }) }
}

function* useKey(draft: Draft, key: string, turn: string): Sql<void> {
  const { id, turnsByKey } = draft
  const before = turnsByKey.get(key) ?? (yield* readTurnByKey(id, key))?.turn
  if (before !== undefined) {
    throw new StoreError(
      'conflict',
      `The idempotency key of this input was used before, by turn ${before} of session ${id}.`,
    )
  }
  turnsByKey.set(key, turn)
}

function* storedTurn({ id, stored }: Draft, turn: string): Sql<TurnRow | undefined> {
  return stored.turns?.get(turn) ?? (yield* readTurn(id, turn))
}

function* plannedTurn(draft: Draft, turn: string): Sql<PlannedTurn> {
  const { id, turns } = draft
  const planned = turns.get(turn)
  if (planned) return planned
  const row = yield* storedTurn(draft, turn)
  if (!row) throw new StoreError('not-found', `Session ${id} has no turn ${turn}. An input entry begins it.`)
  const missed = draft.shifts.reduce((sum, { ordinal, tokens }) => (ordinal < row.ordinal ? sum + tokens : sum), 0)
  return { row: { ...row, tokensBefore: row.tokensBefore + missed }, isNew: false }
}

function* grow(draft: Draft, grown: TurnRow, tokens: number): Sql<void> {
  if (tokens === 0) return
  const { ordinal } = grown
  const { session, shifts, turns } = draft
  draft.session = { ...session, tokens: session.tokens + tokens }
  if (ordinal === session.turns) return
  if (session.head !== null) {
    for (const row of yield* followers(draft, grown)) {
      turns.set(row.turn, {
        ...(yield* plannedTurn(draft, row.turn)),
        row: { ...row, tokensBefore: row.tokensBefore + tokens },
      })
    }
    return
  }
  shifts.push({ ordinal, tokens })
  for (const [turn, planned] of turns) {
    if (planned.row.ordinal <= ordinal) continue
    turns.set(turn, { ...planned, row: { ...planned.row, tokensBefore: planned.row.tokensBefore + tokens } })
  }
}

/** Of a new turn: what it follows, the tokens of the turns that lead to it, and what the session goes on from. */
interface Place extends Pick<TurnRow, 'parent' | 'tokensBefore'> {
  readonly head: string | null
}

const NEW_SESSION: Omit<StoredSession, 'id' | 'created' | 'updated'> = {
  turns: 0,
  entries: 0,
  tokens: 0,
  title: null,
  model: null,
  head: null,
  choices: '{}',
  ...newLabel,
}

function sessionAfter(session: StoredSession, body: EntryBody, time: string): StoredSession {
  const moved = { ...session, entries: session.entries + 1, updated: time }
  switch (body.type) {
    case 'session-start':
      return { ...moved, title: body.title ?? null }
    case 'label':
      return { ...moved, updated: session.updated, title: body.title === undefined ? session.title : body.title }
    case 'input':
      return { ...moved, turns: session.turns + 1 }
    case 'model':
      return { ...moved, model: body.model }
    case 'branch':
      return { ...moved, head: body.head ?? '' }
    case 'choice':
      return { ...moved, choices: JSON.stringify(applyChoice(parseChoices(session), body)) }
    default:
      return moved
  }
}

/**
 * A settled turn is history: the token counts of later turns include it. Nobody waits there for a decision any more, so a
 * late decision is an error.
 */
function refuseSettled(row: TurnRow, body: EntryBody): void {
  if (body.type === 'head') return refuseTakenBack(row)
  if (row.state === 'queued' || row.state === 'running' || !REFUSED_WHEN_SETTLED.includes(body.type)) return
  throw new StoreError(
    'conflict',
    `Turn ${row.turn} of session ${row.session} has ended (${row.state}). It accepts no ${body.type}.`,
  )
}

/** What a call has read, or may have, stays as it was. */
function refuseBegun({ session, turn, state }: TurnRow): void {
  if (state === 'queued') return
  throw new StoreError('conflict', `Turn ${turn} of session ${session} is ${state}. Its message cannot be edited.`)
}

/** A turn can be undone only after it has ended, and only once. */
function refuseTakenBack({ session, turn, state }: TurnRow): void {
  if (state === 'queued' || state === 'running' || state === 'undone') {
    throw new StoreError('conflict', `Turn ${turn} of session ${session} is ${state}. It cannot be undone.`)
  }
}

const REFUSED_WHEN_SETTLED: readonly EntryType[] = ['turn-start', 'message', 'approval-request', 'approval', 'turn-end']

function afterEntry(row: TurnRow, seq: number, body: EntryBody): TurnRow {
  const moved = { ...row, lastSeq: seq }
  switch (body.type) {
    case 'turn-start':
      return { ...moved, state: 'running' }
    case 'turn-end':
      return { ...moved, state: body.outcome.type }
    case 'head':
      // An undone turn is never read, so it costs nothing, and the turns after it are counted without it.
      return { ...moved, state: 'undone', tokens: 0, leastTokens: 0 }
    case 'edit':
      return { ...moved, tokens: body.tokens.full, leastTokens: body.tokens.least }
    case 'input':
    case 'message':
      return { ...moved, tokens: row.tokens + body.tokens.full, leastTokens: row.leastTokens + body.tokens.least }
    default:
      return moved
  }
}

/** The row of a turn as it was when the turn had only these entries. */
export function turnRowAfter(row: TurnRow, entries: readonly (EntryBody & { readonly seq: number })[]): TurnRow {
  const fresh: TurnRow = { ...row, lastSeq: row.firstSeq, state: 'queued', tokens: 0, leastTokens: 0 }
  return entries.reduce((before, entry) => afterEntry(before, entry.seq, entry), fresh)
}

/** Whether two bodies are the end of a turn that waited, and its withdrawal: they are written together. */
export function isWithdrawal(end: EntryBody | undefined, head: EntryBody | undefined): boolean {
  return end?.type === 'turn-end' && head?.type === 'head' && end.turn === head.turn
}
