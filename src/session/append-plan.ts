import { applyChoice, parseChoices } from './choices.ts'
import type { Entry, EntryBody, EntryType } from './entry.ts'
import type { TurnRow } from './log-store.ts'
import { labelAfter, newLabel, type StoredLabel } from './session-list.ts'
import { StoreError } from './store-error.ts'

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
export interface StoredSession extends StoredLabel {
  readonly id: string
  readonly title: string | null
  readonly created: string
  readonly updated: string
  readonly turns: number
  readonly entries: number
  /** Sum of `tokens` over its turns. */
  readonly tokens: number
  readonly model: string | null
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

/** What the store already has. */
export interface AppendTarget {
  readonly session: StoredSession | undefined
  turn(turn: string): TurnRow | undefined
  /** The turn whose input was admitted with this key. */
  turnByKey(idempotencyKey: string): string | undefined
}

/**
 * Decides what one `append` changes, for any backend.
 *
 * The turns of a session run in order, but a later one may be admitted while an earlier one still grows. So tokens that
 * are added to a turn are also added to the `tokensBefore` of the turns after it, which are the few in the queue.
 *
 * @throws StoreError `conflict`, `not-found`
 */
export function planAppend(stored: AppendTarget, id: string, bodies: readonly EntryBody[], time: string): AppendPlan {
  const isNewSession = stored.session === undefined && bodies[0]?.type === 'session-start'
  const known = isNewSession ? emptySession(id, time) : stored.session
  if (!known) throw new StoreError('not-found', `There is no session ${id}. A session-start entry begins it.`)

  let session: StoredSession = known
  const entries: Entry[] = []
  const turns = new Map<string, PlannedTurn>()
  const turnsByKey = new Map<string, string>()
  const shifts: Shift[] = []
  for (const body of bodies) {
    const seq = session.entries + 1
    refuseSecondStart(id, body, seq)
    session = sessionAfter(session, body, time)
    entries.push({ ...body, session: id, seq, time })
    if (!('turn' in body)) {
      session = { ...session, ...labelAfter(session, body, undefined) }
      continue
    }

    const before = body.type === 'input' ? admit(body, seq) : plannedTurn(body.turn)
    refuseSettled(before.row, body)
    session = { ...session, ...labelAfter(session, body, before.row) }
    const row = afterEntry(before.row, seq, body)
    turns.set(body.turn, { ...before, row })
    grow(row.ordinal, row.tokens - before.row.tokens)
  }
  return { session, isNewSession, entries, turns: [...turns.values()], shifts }

  function admit(body: EntryBody & { type: 'input' }, seq: number): PlannedTurn {
    if (turns.has(body.turn) || stored.turn(body.turn)) {
      throw new StoreError(
        'conflict',
        `Session ${id} has a turn ${body.turn} already. Give each input a turn of its own.`,
      )
    }
    const { idempotencyKey } = body
    if (idempotencyKey !== undefined) useKey(idempotencyKey, body.turn)
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
      tokensBefore: session.tokens,
    }
    return { row, isNew: true, ...(idempotencyKey !== undefined && { idempotencyKey }) }
  }

  function useKey(key: string, turn: string): void {
    const before = turnsByKey.get(key) ?? stored.turnByKey(key)
    if (before !== undefined) {
      throw new StoreError(
        'conflict',
        `The idempotency key of this input was used before, by turn ${before} of session ${id}.`,
      )
    }
    turnsByKey.set(key, turn)
  }

  function plannedTurn(turn: string): PlannedTurn {
    const planned = turns.get(turn)
    if (planned) return planned
    const row = stored.turn(turn)
    if (!row) throw new StoreError('not-found', `Session ${id} has no turn ${turn}. An input entry begins it.`)
    const missed = shifts.filter((shift) => shift.ordinal < row.ordinal).reduce((sum, shift) => sum + shift.tokens, 0)
    return { row: { ...row, tokensBefore: row.tokensBefore + missed }, isNew: false }
  }

  function grow(ordinal: number, tokens: number): void {
    if (tokens === 0) return
    session = { ...session, tokens: session.tokens + tokens }
    if (ordinal === session.turns) return
    shifts.push({ ordinal, tokens })
    for (const [turn, planned] of turns) {
      if (planned.row.ordinal <= ordinal) continue
      turns.set(turn, { ...planned, row: { ...planned.row, tokensBefore: planned.row.tokensBefore + tokens } })
    }
  }
}

function emptySession(id: string, time: string): StoredSession {
  const chosen = { title: null, model: null, choices: '{}' }
  return { id, created: time, updated: time, turns: 0, entries: 0, tokens: 0, ...chosen, ...newLabel }
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
    case 'choice':
      return { ...moved, choices: JSON.stringify(applyChoice(parseChoices(session), body)) }
    default:
      return moved
  }
}

function refuseSecondStart(id: string, body: EntryBody, seq: number): void {
  if (body.type !== 'session-start' || seq === 1) return
  throw new StoreError(
    'conflict',
    `There is a session ${id} already. Choose another id, or append without session-start.`,
  )
}

/**
 * A settled turn is history: the token counts of later turns include it. Nobody waits there for a decision any more, so a
 * late decision is an error.
 */
function refuseSettled(row: TurnRow, body: EntryBody): void {
  if (body.type === 'head') return refuseTakenBack(row)
  if (!isSettled(row) || !REFUSED_WHEN_SETTLED.includes(body.type)) return
  throw new StoreError(
    'conflict',
    `Turn ${row.turn} of session ${row.session} has ended (${row.state}). It accepts no ${body.type}.`,
  )
}

/** A turn can be undone only after it has ended, and only once. */
function refuseTakenBack({ session, turn, state }: TurnRow): void {
  if (state === 'queued' || state === 'running' || state === 'undone') {
    throw new StoreError('conflict', `Turn ${turn} of session ${session} is ${state}. It cannot be undone.`)
  }
}

const REFUSED_WHEN_SETTLED: readonly EntryType[] = ['turn-start', 'message', 'approval-request', 'approval', 'turn-end']

/** The row of a turn after one more entry. */
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

function isSettled(row: TurnRow): boolean {
  return row.state !== 'queued' && row.state !== 'running'
}
