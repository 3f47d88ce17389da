import type { Cut, Piece } from '../../context.ts'
import { type Choices, choicesAfter, type Entry, type SessionStore } from '../../session.ts'
import { lastCut } from './session-cut.ts'
import { createSessionStream, type SessionStream } from './session-stream.ts'

/** What the runtime remembers of a session between turns. All of it can be read from the log again. */
export interface SessionDesk {
  readonly session: string
  readonly stream: SessionStream
  /** Turns that wait, in the order of their input. */
  readonly queue: string[]
  running: { readonly turn: string; readonly controller: AbortController } | undefined
  /** The first turn that waits was stopped because the log could not be written. It goes on once a write succeeds, or with the next input. */
  stalled: boolean
  /** Entries of turns that were admitted by this process and have not ended, from their input on. */
  readonly live: Map<string, Entry[]>
  /** Whether turns stand in the log before the ones that are live; only a new session has none. */
  hasHistory: boolean
  /** Chosen with `/model`. */
  model: string | undefined
  /** Ids of what the session has chosen, by the name of the choice. */
  choices: Choices
  /** Digests of calls that a person approved for the whole session; `undefined` until somebody asks. */
  grants: Set<string> | undefined
  /** Marks of the last cut, and the room it was made for: window − reserve, tokens. */
  cut: { readonly marks: Cut; readonly room: number } | undefined
  /** The last call, what it sent and when (monotonic, ms), to tell what the next one can reuse. */
  lastCall: LastCall | undefined
}

/** The newest call of a session. */
export interface LastCall {
  readonly call: string
  /** `undefined` after a restart, until somebody needs it. */
  readonly fingerprint: readonly Piece[] | undefined
  readonly at: number | undefined
}

/** Sessions whose desk is kept at hand though nothing happens in them. */
const MOST_DESKS = 256

/** Every desk there is, one for each session. */
export interface Desks {
  /** `undefined` where there is no such session. */
  of(session: string): Promise<SessionDesk | undefined>
  /** Keeps a desk at hand that may have been put away since it was asked for. */
  keep(desk: SessionDesk): void
  forget(session: string): void
  all(): Iterable<SessionDesk>
}

/**
 * A session never has two desks: one that was put away is found again as long as anybody still works at it.
 *
 * What is written is published here and nowhere else: the store tells it in the order of the commits, whoever wrote it, and
 * before the writer hears of it. So a desk has always heard of every entry that is on disk (DESIGN §6.5).
 */
export function createDesks(store: SessionStore): Desks {
  const desks = new Map<string, SessionDesk>()
  const away = new Map<string, WeakRef<SessionDesk>>()
  const cleared = new FinalizationRegistry<string>((session) => {
    if (!away.get(session)?.deref()) away.delete(session)
  })
  const opening = new Map<string, Promise<SessionDesk | undefined>>()
  /** What is written in a session while its desk is being made. */
  const meanwhile = new Map<string, Entry[]>()
  store.watch(written)

  function place(desk: SessionDesk): SessionDesk {
    desks.delete(desk.session)
    desks.set(desk.session, desk)
    away.delete(desk.session)
    if (desks.size > MOST_DESKS) {
      for (const [id, other] of desks) {
        if (desks.size <= MOST_DESKS) break
        if (other !== desk && !other.running && other.queue.length === 0 && !other.stream.watched()) putAway(id, other)
      }
    }
    return desk
  }

  function putAway(session: string, desk: SessionDesk): void {
    desks.delete(session)
    away.set(session, new WeakRef(desk))
    cleared.register(desk, session)
  }

  function known(session: string): SessionDesk | undefined {
    return desks.get(session) ?? away.get(session)?.deref()
  }

  function find(session: string): SessionDesk | undefined {
    const found = known(session)
    return found && place(found)
  }

  async function open(session: string): Promise<SessionDesk | undefined> {
    const row = await store.session(session)
    if (!row) return find(session)
    const [made] = await store.calls(session, { last: 1 })
    const call = made && { call: made.id, fingerprint: undefined, at: undefined }
    // Looked for only where there is one: in a long session that was never cut, the search would read all of it.
    const cut = made?.manifest.cut && (await lastCut(store, session))
    const madeMeanwhile = find(session)
    if (madeMeanwhile) return madeMeanwhile
    const { model, choices } = row
    const desk = { ...blank(session, row.entries), model, choices, cut, lastCall: call }
    publish(
      desk,
      (meanwhile.get(session) ?? []).filter(({ seq }) => seq > row.entries),
    )
    return place(desk)
  }

  function written(entries: readonly Entry[]): void {
    const { session, seq } = entries[0]!
    meanwhile.get(session)?.push(...entries)
    const desk = known(session) ?? (seq === 1 ? place({ ...blank(session), hasHistory: false }) : undefined)
    if (desk) publish(desk, entries)
  }

  return {
    async of(session) {
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
    keep: place,
    forget(session) {
      desks.delete(session)
      away.delete(session)
    },
    all: () => desks.values(),
  }
}

function blank(session: string, newest = 0): SessionDesk {
  return {
    session,
    stream: createSessionStream(newest),
    queue: [],
    live: new Map(),
    hasHistory: true,
    running: undefined,
    stalled: false,
    model: undefined,
    choices: {},
    grants: undefined,
    cut: undefined,
    lastCall: undefined,
  }
}

/** Entries that are on disk: remembered while their turn lives, and shown to whoever watches. */
function publish(desk: SessionDesk, entries: readonly Entry[]): void {
  for (const entry of entries) {
    remember(desk, entry)
    desk.stream.entry(entry)
  }
}

function remember(desk: SessionDesk, entry: Entry): void {
  switch (entry.type) {
    case 'input':
      desk.live.set(entry.turn, [entry])
      return
    case 'turn-end':
      desk.live.delete(entry.turn)
      desk.hasHistory = true
      return
    case 'model':
      desk.model = entry.model ?? undefined
      return
    case 'choice':
      desk.choices = choicesAfter(desk.choices, entry)
      return
    default:
      if ('turn' in entry) desk.live.get(entry.turn)?.push(entry)
  }
}
