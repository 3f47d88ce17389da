import type { NoteWords } from '../../context.ts'
import { defined } from '../../platform.ts'
import {
  type CallOutcome,
  type CallRecord,
  type Choices,
  applyChoice,
  type Entry,
  type EntryBody,
  type SessionStore,
  type Usage,
} from '../../session.ts'
import { type CacheLife, cacheLifeOf } from '../calls/cache-life.ts'
import type { HasPlacements } from '../calls/recent-placements.ts'
import type { HasPin } from '../calls/head-pin.ts'
import type { SealedPiece } from '../calls/seal.ts'
import { type HasCut, lastCut } from './session-cut.ts'
import { programOf } from './not-found.ts'
import { createSessionStream, type SessionStream } from './session-stream.ts'

/** What the runtime remembers of a session between turns. All of it can be read from the log again. */
export interface SessionState extends HasCut, HasPin, HasPlacements {
  readonly session: string
  readonly stream: SessionStream
  /** Turns that wait, in the order of their input. */
  readonly queue: string[]
  running: RunningTurn | undefined
  /** The turn that answers the message of `running` with another model, also when `running` has ended before it. */
  beside: RunningTurn | undefined
  /** The first turn that waits was stopped because the log could not be written. It resumes once a write succeeds, or with the next input. */
  stalled: boolean
  /** Entries of turns that were admitted by this process and have not ended, from their input on. */
  readonly live: Map<string, Entry[]>
  /** Whether the log has turns before the ones that are live; only a new session has none. */
  hasHistory: boolean
  /** The program that makes the calls of the session, where it is not this gateway. */
  program: string | undefined
  /** Whether a turn may follow another one than the turn before it. */
  hasBranches: boolean
  model: string | undefined
  /** Ids of what the session has chosen, by the name of the choice. */
  choices: Choices
  lastCall: LastCall | undefined
  /** The last call that a provider began to answer: what the cache of its model can have. */
  readCall: ReadCall | undefined
  /** The last call that each model has read, by the name of the model: every model has a cache of its own. */
  readonly reads: Map<string, ReadCall>
  words: NoteWords | undefined
  /** Whether a model was asked for words since the last cut, whatever it answered. */
  noteAsked: boolean
}

interface RunningTurn {
  readonly turn: string
  readonly controller: AbortController
}

export interface LastCall {
  readonly call: string
  readonly model: string
  /** `undefined` after a restart, until it is first needed. */
  readonly fingerprint: readonly SealedPiece[] | undefined
  /** When it was made, ms since 1970. */
  readonly at: number
  readonly life?: CacheLife
}

export interface ReadCall extends LastCall {
  readonly usage:
    | (Pick<Usage, 'promptTokens' | 'outputTokens' | 'reasoningTokens'> &
        Partial<Pick<Usage, 'cachedTokens' | 'cacheWrittenTokens'>>)
    | undefined
  /** Whether the model has read a request since then that goes on in another way behind the prompt. */
  readonly isForked?: boolean
}

/** Models of a session whose last call is remembered. */
const MOST_READS = 4

/** Remembers that a provider has read the last call. */
export function noteRead(state: SessionState, usage: ReadCall['usage']): void {
  if (!state.lastCall) return
  const read = { ...state.lastCall, usage }
  state.readCall = read
  state.reads.delete(read.model)
  state.reads.set(read.model, read)
  for (const model of state.reads.keys()) if (state.reads.size > MOST_READS) state.reads.delete(model)
}

/** Remembers that the prompt of a call was read again, at a time: caches live from the last time that they were read. */
export function keptAlive(state: SessionState, call: string, at: number): void {
  if (state.readCall?.call !== call) return
  state.readCall = { ...state.readCall, at }
  const read = state.reads.get(state.readCall.model)
  if (read?.call === call) state.reads.set(read.model, { ...read, at })
}

/** Remembers that a model has read the prompt of its last call once more, with an instruction in place of the answer. */
export function noteForked(state: Pick<SessionState, 'reads'>, model: string): void {
  const read = state.reads.get(model)
  if (read) state.reads.set(model, { ...read, isForked: true })
}

/** Whether a provider read the prompt of a call that is over, so that its cache can have it. */
export function wasRead({ error, usage, firstTokenMs }: CallOutcome): boolean {
  return error === undefined || firstTokenMs !== undefined || usage?.promptTokens !== undefined
}

/** Sessions whose state is kept at hand though nothing happens in them. */
const MOST_STATES = 256

export type SessionStates = ReturnType<typeof createSessionStates>

/**
 * A session never has two states: one that was put away is found again as long as anybody still works at it.
 *
 * What is written is published here and nowhere else: the store reports it in the order of the commits, from every writer, and
 * before the write resolves. So a state always knows every entry that is on disk (DESIGN §6.5).
 */
export function createSessionStates(store: SessionStore) {
  const states = new Map<string, SessionState>()
  const away = new Map<string, WeakRef<SessionState>>()
  const cleared = new FinalizationRegistry<string>((session) => {
    if (!away.get(session)?.deref()) away.delete(session)
  })
  const opening = new Map<string, Promise<SessionState | undefined>>()
  /** What is written in a session while its state is being made. */
  const meanwhile = new Map<string, Entry[]>()
  store.watch(written)

  function place(state: SessionState): SessionState {
    states.delete(state.session)
    states.set(state.session, state)
    away.delete(state.session)
    if (states.size > MOST_STATES) {
      for (const [id, other] of states) {
        if (states.size <= MOST_STATES) break
        if (other !== state && !other.running && !other.beside && other.queue.length === 0 && !other.stream.watched())
          putAway(id, other)
      }
    }
    return state
  }

  function putAway(session: string, state: SessionState): void {
    states.delete(session)
    away.set(session, new WeakRef(state))
    cleared.register(state, session)
  }

  function known(session: string): SessionState | undefined {
    return states.get(session) ?? away.get(session)?.deref()
  }

  function find(session: string): SessionState | undefined {
    const found = known(session)
    return found && place(found)
  }

  async function open(session: string): Promise<SessionState | undefined> {
    const row = await store.session(session)
    if (!row) return find(session)
    // A note is asked for behind a call of a turn, and is none of them.
    const all = await store.calls(session, { last: RECENT_CALLS })
    const recent = all.filter(({ kind }) => kind === undefined)
    const made = recent.at(-1)
    const lastCall = made && {
      call: made.id,
      model: made.model,
      fingerprint: undefined,
      at: Date.parse(made.time),
      ...defined({ life: cacheLifeOf(made) }),
    }
    const readRecently = recent.flatMap((call) => {
      const { id, model, time, outcome } = call
      if (!outcome || !wasRead(outcome)) return []
      const life = cacheLifeOf(call)
      return [
        {
          call: id,
          model,
          fingerprint: undefined,
          at: lastRead(all, id, time),
          usage: outcome.usage,
          ...defined({ life }),
        },
      ]
    })
    const readCall = readRecently.find(({ call }) => call === made?.id)
    const reads = new Map<string, ReadCall>(readRecently.map((read) => [read.model, read]))
    for (const { kind, model, time, outcome } of all) {
      const read = reads.get(model)
      const isLater = read !== undefined && Date.parse(time) >= read.at
      if (isLater && kind === 'note' && outcome && wasRead(outcome)) noteForked({ reads }, model)
    }
    // Looked for only where there is one: in a long session that was never cut, the search would read all of it.
    const cut = made?.manifest.cut && (await lastCut(store, session))
    const asked = made && (await askedWords(store, session, row.entries))
    const program = await programOf(store, session)
    const madeMeanwhile = find(session)
    if (madeMeanwhile) return madeMeanwhile
    const { model, choices } = row
    const facts = { program, hasBranches: row.head !== undefined, model, choices, cut, lastCall, readCall, reads }
    const state = { ...blank(session, row.entries), ...facts, ...asked }
    publish(
      state,
      (meanwhile.get(session) ?? []).filter(({ seq }) => seq > row.entries),
    )
    return place(state)
  }

  function written(entries: readonly Entry[]): void {
    const { session, seq } = entries[0]!
    meanwhile.get(session)?.push(...entries)
    const state = known(session) ?? (seq === 1 ? place({ ...blank(session), hasHistory: false }) : undefined)
    if (state) publish(state, entries)
  }

  return {
    async of(session: string) {
      const found = find(session)
      if (found) return found
      const under = opening.get(session)
      if (under) return under
      meanwhile.set(session, [])
      const opened = open(session).finally(() => {
        opening.delete(session)
        meanwhile.delete(session)
      })
      opening.set(session, opened)
      return opened
    },
    /** Keeps a state at hand that may have been put away since it was asked for. */
    keep: place,
    forget(session: string) {
      states.delete(session)
      away.delete(session)
    },
    all: () => states.values(),
  }
}

/** When the prompt of a call was read last, ms since 1970: a note is asked for on the same prompt. */
function lastRead(calls: readonly CallRecord[], call: string, time: string): number {
  const isOn = ({ input }: CallRecord) => (input as { readonly noteOf?: unknown }).noteOf === call
  const note = calls.findLast((each) => each.kind === 'note' && isOn(each) && each.outcome?.error === undefined)
  return Date.parse(note?.outcome ? note.time : time)
}

/** Calls in which those that models have read are looked for after a restart. */
const RECENT_CALLS = 8

/** Entries of a log in which words for a note are looked for: what is older lies too far back to be of use. */
const RECENT_ENTRIES = 400

/** Words are for one note: those that a cut has used since are not ready. */
async function askedWords(
  store: SessionStore,
  session: string,
  entries: number,
): Promise<Pick<SessionState, 'words' | 'noteAsked'>> {
  const after = Math.max(0, entries - RECENT_ENTRIES)
  const notes = (await store.entries(session, { types: ['note'], after, last: 2 })).flatMap((entry) =>
    entry.type === 'note' ? [entry] : [],
  )
  const words = notes.flatMap((note) => readyWords(note) ?? []).at(-1)
  const newest = notes.at(-1)?.seq
  if (newest === undefined) return { words, noteAsked: false }
  const [cut] = await store.entries(session, { types: ['cut'], after: notes[0]!.seq, last: 1 })
  const isUsed = cut?.type === 'cut' && cut.cut.notes?.some(({ by }) => by === words?.call)
  return { words: isUsed ? undefined : words, noteAsked: cut === undefined || cut.seq < newest }
}

function readyWords({ through, text, call, folds }: Extract<EntryBody, { type: 'note' }>): NoteWords | undefined {
  return text === undefined ? undefined : { through, text, call, ...(folds ? { folds } : {}) }
}

function blank(session: string, newest = 0): SessionState {
  return {
    session,
    stream: createSessionStream(newest),
    queue: [],
    live: new Map(),
    hasHistory: true,
    program: undefined,
    hasBranches: false,
    running: undefined,
    beside: undefined,
    stalled: false,
    model: undefined,
    choices: {},
    cut: undefined,
    lastCall: undefined,
    readCall: undefined,
    reads: new Map(),
    words: undefined,
    noteAsked: false,
  }
}

/** Entries that are on disk: remembered while their turn lives, and shown to those who watch. */
function publish(state: SessionState, entries: readonly Entry[]): void {
  for (const entry of entries) {
    switch (entry.type) {
      case 'session-start':
        state.program = entry.foreign
        break
      case 'branch':
        state.hasBranches = true
        break
      case 'input':
        state.live.set(entry.turn, [entry])
        if (entry.parent !== undefined) state.hasBranches = true
        break
      case 'turn-end':
        state.live.delete(entry.turn)
        state.hasHistory = true
        break
      case 'fold':
        state.foldedAt = entry.seq
        break
      case 'cut':
        state.cut = { marks: entry.cut, room: entry.room ?? entry.available }
        state.noteAsked = false
        break
      case 'note':
        state.words = readyWords(entry) ?? state.words
        state.noteAsked = true
        break
      case 'model':
        state.model = entry.model ?? undefined
        break
      case 'choice':
        state.choices = applyChoice(state.choices, entry)
        break
      default:
        if ('turn' in entry) state.live.get(entry.turn)?.push(entry)
    }
    state.stream.entry(entry)
  }
}
