import { existsSync } from 'node:fs'
import { RuntimeError } from '../../capability.ts'
import { messageText, outputText, toolResults } from '../../context.ts'
import { type Clock, defined, errorMessage, settlesWithin } from '../../platform.ts'
import type { LogPart, RankedPassage, Recall, RecallAnswer, RecallIndex } from '../../search.ts'
import { type Entry, type LogStore, type SessionRow, type SessionStore, createLeftTurnReader } from '../../session.ts'
import {
  type IndexingParts,
  indexSession,
  logParts,
  registerSession,
  removeSession,
  STEP_CHARACTERS,
  indexParts,
} from './index-session.ts'

/** The search of the history over one store, with the index that it keeps. */
export interface HistoryRecall extends Recall {
  /** Starts indexing what is written from now on and what was written before, in slices and with low priority. */
  start(): void
  /** Removes a deleted session: when this resolves, no search finds it. Its bytes are removed later, in slices. */
  forget(session: string): Promise<void>
  /** Indexes what waits for that at once, and resolves when it is indexed; `undefined`: all of it is. */
  idle(): Promise<unknown> | undefined
  close(): Promise<void>
}

interface RecallParts {
  readonly store: SessionStore
  /** File of the index, which can be deleted and is built again; `:memory:` keeps it in memory. */
  readonly path: string
  /** Time zone of the dates in questions. This machine's where absent. */
  readonly timeZone?: string
  readonly warn: (text: string) => void
}

/** How long a question waits for the index to catch up, ms. */
const CATCH_UP_TIMEOUT_MS = 2_000
/** How long after an entry it is indexed, ms: what is said until then goes into the index at once. A question waits for none of it. */
const QUIET_MS = 30_000
/** Characters that wait for the index in memory. */
const MOST_WAITING = 100_000
/** How old a list of all sessions may be, ms: it is read in whole, so that years of sessions are not looked through for each question. */
const LISTED_MS = 60_000
/** How long after the start the logs are looked through, ms. */
const STARTED_MS = 1_000
const MOST_FOLLOWED = 10_000
const PAGE = 200
/** Of those that changed of late. */
const NEWEST = 20

/** The same for one conversation: its earlier sessions are among what is searched, as far as capabilities let it see them. */
export function recallOfConversation(
  recall: Recall,
  { conversation }: { conversation(session: string, sessions: readonly string[]): Promise<readonly string[]> },
): Recall {
  return {
    find: (query) => recall.find(query),
    async conversationSessions(session) {
      const earlier = (await recall.conversationSessions(session)).filter((id) => id !== session)
      return conversation(session, [session, ...earlier])
    },
  }
}

/** Searches the content of a store. The index is opened when it is first needed. */
export function openRecall({ store, path, timeZone, warn }: RecallParts): HistoryRecall {
  const { clock } = store
  const stopped = new AbortController()
  /** Sessions of which a part that is on the disk was not seen, or not kept: their logs are read. */
  const behind = new Set<string>()
  /** Sessions whose log is in the index, or waits here for it. */
  const followed = new Set<string>()
  let waiting = new Map<string, Entry[]>()
  let characters = 0
  let flushing: Promise<void> | undefined
  const working = new Map<string, Promise<void>>()
  let opening: Promise<IndexingParts> | undefined
  let listing: { readonly began: number; done: boolean; readonly work: Promise<void> } | undefined
  /** When the newest session of those that were listed was changed. */
  let newest: string | undefined
  let draining: Promise<void> | undefined
  let cancel: (() => void) | undefined
  let unwatch: (() => void) | undefined

  const leftTurns = createLeftTurnReader(store)

  function opened(): Promise<IndexingParts> {
    opening ??= openIndex(clock, path, timeZone).then(
      (index) => ({ store, index, stopped: stopped.signal }),
      (error: unknown) => {
        // The cause may be gone at the next question.
        opening = undefined
        throw error
      },
    )
    return opening
  }

  /** Indexes one session at a time; entries that are written meanwhile belong to this run or the next one. */
  function indexed(session: string): Promise<void> {
    behind.delete(session)
    const before = working.get(session) ?? Promise.resolve()
    const work = before
      .catch(() => {})
      .then(async () => indexSession(await opened(), session))
      .then(() => follow(session))
    return registered(session, work)
  }

  function registered(session: string, begun: Promise<void>): Promise<void> {
    const work = begun.finally(() => {
      if (working.get(session) === work) working.delete(session)
    })
    working.set(session, work)
    return work
  }

  /** Compares the index with the store. Other processes write unnoticed, so the list may be at most `oldest` ms old. */
  function listed(oldest: number): Promise<void> {
    const since = clock.monotonic() - oldest
    if (!listing || (listing.done && listing.began < since)) {
      const begun = { began: clock.monotonic(), done: false, work: list() }
      listing = begun
      begun.work.then(
        () => (begun.done = true),
        () => (listing = undefined),
      )
    }
    return listing.work
  }

  async function list(): Promise<void> {
    const all = await opened()
    const known = new Map(all.index.sessions().map(({ id, upTo }) => [id, upTo]))
    const { changed = '', seen } = await compare(all, PAGE, (id) => known.get(id))
    newest = changed
    // Sessions that no longer exist.
    for (const id of known.keys()) if (!seen.has(id)) behind.add(id)
  }

  /** Looks at what was changed since the last list. What was removed, or has an earlier time, is found with the next list of all. */
  async function listNewest(since: string): Promise<void> {
    const all = await opened()
    const { changed = since } = await compare(all, NEWEST, (id) => all.index.session(id)?.upTo, since)
    newest = changed
  }

  /**
   * Finds the sessions of the store that are behind in the index, the last changed one first, and registers new ones. `upToOf`: the last
   * entry in the index; `since`: nothing earlier is looked at. Returns when the last change was, and which sessions there are.
   */
  async function compare(
    all: IndexingParts,
    limit: number,
    upToOf: (id: string) => number | undefined,
    since = '',
  ): Promise<{ readonly changed: string | undefined; readonly seen: ReadonlySet<string> }> {
    const unknown: string[] = []
    const seen = new Set<string>()
    let changed: string | undefined
    for (let after: SessionRow | undefined; ;) {
      const rows = await store.sessions({ limit, after })
      changed ??= rows[0]?.updated
      for (const { id, entries } of rows) {
        const upTo = upToOf(id)
        seen.add(id)
        if (upTo === undefined) unknown.push(id)
        if (upTo !== entries) behind.add(id)
      }
      after = rows.at(-1)
      if (rows.length < limit || after!.updated < since) break
      await clock.yield()
    }
    // Oldest first: of equally good passages, the one with the highest number comes first.
    for (const id of unknown.toReversed()) {
      if (stopped.signal.aborted) break
      await registerSession(all, id)
      await clock.yield()
    }
    return { changed, seen }
  }

  /** Where all were listed before, only those that changed are waited for. */
  async function listedForAll(): Promise<void> {
    if (newest === undefined) return listed(0)
    await listNewest(newest)
  }

  function follow(session: string): void {
    followed.add(session)
    if (followed.size > MOST_FOLLOWED) followed.delete(followed.values().next().value!)
  }

  /** What is written while others wait for nothing is kept here, so that it is not read again. */
  function written(entries: readonly Entry[]): void {
    const { session, seq } = entries[0]!
    const known = waiting.get(session)
    if (known) known.push(...entries)
    else if (!behind.has(session) && (seq === 1 || followed.has(session))) waiting.set(session, [...entries])
    else behind.add(session)
    for (const entry of entries) {
      if (entry.type !== 'input' && entry.type !== 'edit' && entry.type !== 'message') continue
      characters += messageText(entry.message).length
      for (const { output } of toolResults(entry.message)) characters += outputText(output).length
    }
    if (characters < MOST_WAITING) return later()
    cancel?.()
    cancel = undefined
    later(0)
  }

  /** Indexes what waits in memory, of all sessions together. */
  async function flush(): Promise<void> {
    const taken = waiting
    waiting = new Map()
    characters = 0
    if (taken.size === 0) return
    try {
      const all = await opened()
      let parts: LogPart[] = []
      let size = 0
      const add = async () => {
        for (const { session } of await indexParts(all, parts)) {
          followed.delete(session)
          behind.add(session)
        }
        parts = []
        size = 0
      }
      for (const [session, entries] of taken) {
        for await (const { part, characters: more } of logParts(store, entries)) {
          if (stopped.signal.aborted) return
          parts.push(part)
          size += more
          if (size >= STEP_CHARACTERS) await add()
        }
        if (!behind.has(session)) follow(session)
      }
      if (parts.length > 0) await add()
    } catch (error) {
      for (const session of taken.keys()) behind.add(session)
      throw error
    }
  }

  function flushed(): Promise<void> {
    flushing ??= flush().finally(() => (flushing = undefined))
    return flushing
  }

  /** Indexes what waits, and then what is behind, one session after the other, until nothing is. */
  function drained(): Promise<void> {
    draining ??= (async () => {
      const isUsed = opening || waiting.size > 0 || behind.size > 0 || existsSync(path)
      if (!isUsed && (await store.sessions({ limit: 1 })).length === 0) return
      await flushed()
      await (listing?.work ?? listed(0))
      for (const session of behind) {
        if (stopped.signal.aborted) return
        await indexed(session)
      }
    })().finally(() => (draining = undefined))
    return draining
  }

  function later(afterMs = QUIET_MS): void {
    if (cancel || stopped.signal.aborted) return
    cancel = clock.timer(afterMs, drain, { idle: true })
  }

  function drain(): void {
    cancel?.()
    cancel = undefined
    drained().catch((error: unknown) => {
      if (!stopped.signal.aborted) warn(`Could not index the history: ${errorMessage(error)}`)
    })
  }

  /** Never rejects. */
  function idle(): Promise<unknown> | undefined {
    if (cancel) drain()
    const unlisted = listing?.done === false ? [listing.work] : []
    const work = [...working.values(), ...(draining ? [draining] : []), ...unlisted]
    return work.length > 0 ? Promise.allSettled(work) : undefined
  }

  /** Only a question about all sessions finds undone turns. */
  async function markedUndone(passage: RankedPassage): Promise<RankedPassage> {
    const row = await store.turn(passage.session, passage.turn)
    return row?.state === 'undone' ? { ...passage, undone: true } : passage
  }

  async function caughtUp(sessions: readonly string[] | undefined): Promise<void> {
    if (!sessions) {
      await listedForAll()
      await drained()
      // Nobody waits for what was removed elsewhere.
      listed(LISTED_MS).then(
        () => later(),
        () => {},
      )
      return
    }
    await flushed()
    await Promise.all(sessions.map(indexed))
  }

  return {
    start() {
      unwatch ??= store.watch(written)
      later(STARTED_MS)
    },
    async find(query): Promise<RecallAnswer> {
      try {
        const { index } = await opened()
        const complete = await finishesInTime(clock, caughtUp(query.sessions))
        // A question about certain sessions comes from a model, which is given only the turns that lead to its own.
        const left = (await Promise.all((query.sessions ?? []).map((id) => leftTurns(id, query.exceptTurns)))).flat()
        const exceptTurns = [...(query.exceptTurns ?? []), ...left]
        const found = index.find({ ...query, exceptTurns })
        const passages = query.sessions ? found.passages : await Promise.all(found.passages.map(markedUndone))
        return { ...found, passages, complete }
      } catch (error) {
        throw await recallFailure(error)
      }
    },
    async conversationSessions(session) {
      try {
        const { index } = await opened()
        await finishesInTime(clock, listed(LISTED_MS))
        const before = await sessionsBefore(store, session)
        const first = before.at(-1)!
        await registerSession(await opened(), first)
        return [...new Set([...before, ...index.conversationSessions(first)])]
      } catch (error) {
        throw await recallFailure(error)
      }
    },
    async forget(session) {
      behind.delete(session)
      followed.delete(session)
      waiting.delete(session)
      // A part of its log that was read before it was deleted may still be written.
      await flushing?.catch(() => {})
      await working.get(session)?.catch(() => {})
      try {
        const all = await opened()
        if (!all.index.removeSome(session)) return
        registered(session, removeSession(all, session)).catch((error: unknown) =>
          warn(`The history of a deleted session is still indexed: ${errorMessage(error)}`),
        )
      } catch (error) {
        warn(`The index keeps the deleted session ${session} until the next start: ${errorMessage(error)}`)
      }
    },
    idle,
    async close() {
      stopped.abort()
      cancel?.()
      cancel = undefined
      unwatch?.()
      await idle()
      const last = await opening?.catch(() => undefined)
      last?.index.close()
    },
  }
}

async function openIndex(clock: Clock, path: string, timeZone: string | undefined): Promise<RecallIndex> {
  const { openRecallIndex } = await import('../../search.ts')
  return openRecallIndex({ clock, path, ...defined({ timeZone }) })
}

/** Whether the work is done in time. It continues in any case; an error within that time is thrown. */
async function finishesInTime(clock: Clock, work: Promise<void>): Promise<boolean> {
  const settled = await settlesWithin(clock, work, CATCH_UP_TIMEOUT_MS)
  if (settled) await work
  return settled
}

async function recallFailure(error: unknown): Promise<unknown> {
  const { SearchError } = await import('../../search.ts')
  if (!(error instanceof SearchError)) return error
  return new RuntimeError('storage', error.message, { index: error.code }, { cause: error })
}

/** A session and those that it continues, newest first. Only the last one may belong to a conversation of a channel. */
async function sessionsBefore(
  store: Pick<LogStore, 'entries'>,
  session: string,
): Promise<readonly [string, ...string[]]> {
  const found: [string, ...string[]] = [session]
  for (;;) {
    const [start] = await store.entries(found.at(-1)!, { limit: 1 })
    const after = start?.type === 'session-start' && !start.channel ? start.after : undefined
    if (after === undefined || found.includes(after)) return found
    found.push(after)
  }
}
