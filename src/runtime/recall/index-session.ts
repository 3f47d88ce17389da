import { setImmediate as others } from 'node:timers/promises'
import type { HistoryItem, IndexedSession, RecallIndex } from '../../search.ts'
import type { Entry, LogStore, SessionStore } from '../../session.ts'
import { itemsOf } from './history-items.ts'

export interface IndexingParts {
  readonly store: Pick<SessionStore, 'entries' | 'turn' | 'content' | 'session'>
  readonly index: RecallIndex
  readonly stopped: AbortSignal
}

/** Entries that are read at once. */
const PAGE = 200
/** What is indexed in one transaction, characters: some 10 ms, then everything else has its turn. */
const STEP_CHARACTERS = 8_000

/**
 * Brings the index of one session to what its log holds. Where the session is gone, it is taken out; where the index is of
 * another log, as after a restore, it is built again. What breaks off goes on from there the next time.
 */
export async function indexSession(parts: IndexingParts, session: string): Promise<void> {
  const { store, index, stopped } = parts
  const row = await store.session(session)
  const known = index.session(session)
  if (known && !(row && (await isOfThisLog(store, known)))) await removeAll(parts, session)
  if (!row) return
  while (!stopped.aborted) {
    const from = await register(parts, session)
    if (from === undefined) return
    const entries = await store.entries(session, { after: from, limit: PAGE })
    if (entries.length === 0) return
    await addEntries(parts, { session, from, entries })
  }
}

/** Makes a session known to the index before its log is read. Answers how far it is; `undefined` where there is no log. */
export async function register({ store, index }: IndexingParts, session: string): Promise<number | undefined> {
  const known = index.session(session)
  if (known) return known.upTo
  const [start] = await store.entries(session, { limit: 1 })
  if (!start) return undefined
  const binding = start.type === 'session-start' ? start.channel : undefined
  const conversation = binding && JSON.stringify([binding.channel, binding.conversation])
  const part = { session, created: start.time, from: 0, upTo: 0, mark: '', items: [] }
  index.add(conversation === undefined ? part : { ...part, conversation })
  return index.session(session)?.upTo
}

/** Takes a session out, in slices. */
export async function removeAll({ index, stopped }: IndexingParts, session: string): Promise<void> {
  while (!stopped.aborted && index.removeSome(session)) await others()
}

/** Whether the entry that was indexed last is still the one that the log holds there. */
async function isOfThisLog(store: Pick<LogStore, 'entries'>, { id, upTo, mark }: IndexedSession): Promise<boolean> {
  if (upTo === 0) return true
  const [entry] = await store.entries(id, { after: upTo - 1, limit: 1 })
  return entry?.seq === upTo && entry.time === mark
}

/** Ends early where somebody else indexes the same session: who calls looks again how far it is. */
async function addEntries(
  parts: IndexingParts,
  { session, from: first, entries }: { session: string; from: number; entries: readonly Entry[] },
): Promise<void> {
  const { store, index, stopped } = parts
  let from = first
  let items: HistoryItem[] = []
  let characters = 0
  for (const entry of entries) {
    const more = await itemsOf(store, entry)
    items.push(...more)
    characters += more.reduce((sum, { text }) => sum + text.length, 0)
    if (characters < STEP_CHARACTERS && entry !== entries.at(-1)) continue
    const { seq: upTo, time: mark } = entry
    if (stopped.aborted || !index.add({ session, created: entry.time, from, upTo, mark, items })) return
    await others()
    from = upTo
    items = []
    characters = 0
  }
}
