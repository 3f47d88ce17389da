import type { Cut, Piece } from '../context.ts'
import type { Entry, SessionRow, SessionStore } from '../session.ts'
import { createSessionStream, type SessionStream } from './session-stream.ts'

/** What the runtime remembers of a session between turns. All of it can be read from the log again. */
export interface SessionDesk {
  readonly session: string
  readonly stream: SessionStream
  /** Turns that wait, in the order of their input. */
  readonly queue: string[]
  running: { readonly turn: string; readonly controller: AbortController } | undefined
  /** The first turn that waits was stopped because the log could not be written; the next input takes it up again. */
  stalled: boolean
  /** Entries of turns that were admitted by this process and have not ended, from their input on. */
  readonly live: Map<string, Entry[]>
  /** Whether turns stand in the log before the ones that are live; only a new session has none. */
  hasHistory: boolean
  /** Chosen with `/model`. */
  model: string | undefined
  /** Ids of the custom agent and the project of the session. */
  agent: string | undefined
  project: string | undefined
  /** Id of the subject that the session is about. */
  subject: string | undefined
  /** Digests of calls that a person approved for the whole session; `undefined` until somebody asks. */
  grants: Set<string> | undefined
  /** Marks of the last cut, and the room it was made for. */
  cut: { readonly marks: Cut; readonly available: number } | undefined
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

/** What was chosen for a session. */
type Chosen = Partial<Pick<SessionDesk, 'model' | 'agent' | 'project' | 'subject'>>

function chosenIn({ model, agent, project, subject }: SessionRow): Chosen {
  return { model, agent, project, subject }
}

/** Every desk there is, one for each session. */
export interface Desks {
  /** `undefined` where there is no such session. */
  of(session: string): Promise<SessionDesk | undefined>
  /** A session that was made just now. */
  fresh(session: string, chosen?: Chosen): SessionDesk
  /** Keeps a desk at hand that may have been put away since it was asked for. */
  keep(desk: SessionDesk): void
  forget(session: string): void
  all(): Iterable<SessionDesk>
}

/** A session never has two desks: one that was put away is found again as long as anybody still works at it. */
export function createDesks(store: SessionStore): Desks {
  const desks = new Map<string, SessionDesk>()
  const away = new Map<string, WeakRef<SessionDesk>>()
  const cleared = new FinalizationRegistry<string>((session) => {
    if (!away.get(session)?.deref()) away.delete(session)
  })
  const opening = new Map<string, Promise<SessionDesk | undefined>>()

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

  function find(session: string): SessionDesk | undefined {
    const known = desks.get(session) ?? away.get(session)?.deref()
    return known && place(known)
  }

  async function open(session: string): Promise<SessionDesk | undefined> {
    const row = await store.session(session)
    if (!row) return undefined
    const [newest] = await store.calls(session, { last: 1 })
    const call = newest && { call: newest.id, fingerprint: undefined, at: undefined }
    // Looked for only where there is one: in a long session that was never cut, the search would read all of it.
    const cut = newest?.manifest.cut && (await lastCut(session))
    return find(session) ?? place({ ...blank(session, row.entries), ...chosenIn(row), cut, lastCall: call })
  }

  async function lastCut(session: string): Promise<SessionDesk['cut']> {
    const [entry] = await store.entries(session, { types: ['cut'], last: 1 })
    return entry?.type === 'cut' ? { marks: entry.cut, available: entry.available } : undefined
  }

  return {
    async of(session) {
      const known = find(session)
      if (known) return known
      const under = opening.get(session) ?? open(session).finally(() => opening.delete(session))
      opening.set(session, under)
      return under
    },
    fresh: (session, chosen = {}) => find(session) ?? place({ ...blank(session), hasHistory: false, ...chosen }),
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
    agent: undefined,
    project: undefined,
    subject: undefined,
    grants: undefined,
    cut: undefined,
    lastCall: undefined,
  }
}

/** Entries that are on disk: remembered while their turn lives, and shown to whoever watches. */
export function publish(desk: SessionDesk, entries: readonly Entry[]): void {
  for (const entry of entries) {
    const turn = 'turn' in entry ? entry.turn : undefined
    if (entry.type === 'input') desk.live.set(entry.turn, [entry])
    else if (entry.type === 'turn-end') desk.live.delete(entry.turn)
    else if (turn !== undefined) desk.live.get(turn)?.push(entry)
    if (entry.type === 'turn-end') desk.hasHistory = true
    desk.stream.entry(entry)
  }
}
