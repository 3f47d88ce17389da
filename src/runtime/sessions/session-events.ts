import { type EventsOptions, RuntimeError, type SessionEvent } from '../../capability.ts'
import { defined, timeSlice } from '../../platform.ts'
import type { Entry, LogStore } from '../../session.ts'
import { type BacklogBudget, openBacklog } from './event-backlog.ts'
import type { SessionState } from './session-state.ts'
import { endsDeltas, parseSessionEventId, sessionEventId } from './session-stream.ts'

/** Entries that are read from the log at once. */
const PAGE = 500

/** First the log after `after`, then live events. A reader misses no entry; one that is too slow is let go. */
export async function* sessionEvents(
  store: LogStore,
  state: SessionState,
  { after, turn, signal }: EventsOptions,
  budget: BacklogBudget,
): AsyncGenerator<SessionEvent> {
  const seen = parsePosition(after)
  // What was written up to here is read from the log; what comes later arrives as live events.
  const opened = state.stream.lastSeq()
  let lastSeq = opened
  const backlog = openBacklog(state.stream, signal, budget)
  const work = timeSlice(store.clock)
  try {
    let reached = seen.seq
    // Deltas whose message is in the log are no longer provisional: the message was sent instead. By turn; what was announced
    // before this reader came is behind no delta that it can get.
    const settled = new Map<string, number>()
    const note = (entry: Entry) => {
      if (entry.seq > opened && (entry.type === 'message' || entry.type === 'turn-end')) {
        settled.set(entry.turn, entry.seq)
      }
    }
    // An entry can be read from the log as soon as it is written, and is announced once the disk has confirmed it.
    if (seen.seq > opened)
      for (const entry of await store.entries(state.session, { after: opened, upTo: seen.seq })) note(entry)
    // A delta that is sent after an entry has an id after it, or a reader that comes back would get the entry again.
    const behind = (event: SessionEvent): SessionEvent => {
      const { seq, delta } = parseSessionEventId(event.id)!
      return seq < reached ? { ...event, id: sessionEventId(reached, delta) } : event
    }
    const isCurrent = (event: SessionEvent) =>
      (event.type !== 'text-delta' && event.type !== 'reasoning-delta' && event.type !== 'retry') ||
      parseSessionEventId(event.id)!.seq >= (settled.get(event.turn) ?? 0)
    // Deltas that the reader has had of the call that runs. Its ids count them until the call is over.
    const { since, events, count } = backlog.running
    const known = since <= seen.seq ? seen.delta : 0
    let counted = known
    const running = count === 0 ? undefined : events[0]!.turn
    // For a turn that is over there are only the entries of the log.
    const isPast = turn !== undefined && after !== undefined && (await isOver(store, state, turn))
    if (after !== 'live') {
      for await (const entries of readLog(store, state, turn, seen.seq)) {
        for (const entry of entries) {
          note(entry)
          reached = entry.seq
          if (endsDeltas(entry, running)) counted = 0
          if (work.isOver()) await work.rest()
          yield { id: sessionEventId(entry.seq, counted), type: 'entry', entry }
          if (entry.type === 'turn-end' && entry.turn === turn) return
        }
      }
    }
    if (isPast) return
    if (after !== 'live') {
      for (let index = known; index < count; index += 1) {
        if (work.isOver()) await work.rest()
        const event = events[index]!
        if (belongsTo(event, turn) && isCurrent(event)) yield behind(event)
      }
    }
    while (await backlog.more()) {
      work.renew()
      for (const event of backlog.take()) {
        if (work.isOver()) await work.rest()
        if (event.type === 'entry') {
          const { seq } = event.entry
          // What another process wrote in between is not announced; it is read from the log.
          const before = seq > lastSeq + 1 ? await store.entries(state.session, { after: lastSeq, upTo: seq - 1 }) : []
          const { delta } = parseSessionEventId(event.id)!
          lastSeq = seq
          for (const entry of [...before, event.entry]) {
            if (entry.seq <= reached || !belongsTo(entry, turn)) continue
            note(entry)
            reached = entry.seq
            yield { id: sessionEventId(entry.seq, delta), type: 'entry', entry }
            if (entry.type === 'turn-end' && entry.turn === turn) return
          }
        } else if (belongsTo(event, turn) && isCurrent(event)) {
          yield behind(event)
          if (turn !== undefined && event.type === 'interrupted') return
        }
      }
    }
  } finally {
    backlog.end()
  }
}

/** The log from `seq` on, page by page. A live turn from its beginning is at hand and is not read. */
async function* readLog(
  store: LogStore,
  { session, live }: SessionState,
  turn: string | undefined,
  seq: number,
): AsyncGenerator<readonly Entry[]> {
  const known = turn !== undefined && seq === 0 ? live.get(turn) : undefined
  if (known) return yield [...known]
  let after = seq
  for (;;) {
    const entries = await store.entries(session, { after, limit: PAGE, ...defined({ turn }) })
    yield entries
    if (entries.length < PAGE) return
    after = entries.at(-1)!.seq
  }
}

function parsePosition(after: string | undefined) {
  if (after === undefined || after === 'live') return { seq: 0, delta: 0 }
  const position = parseSessionEventId(after)
  if (!position)
    throw new RuntimeError(
      'invalid-input',
      `"${after}" is not an event id. Give the id of the last event that you received.`,
    )
  return position
}

async function isOver(store: LogStore, { session, live }: SessionState, turn: string): Promise<boolean> {
  if (live.has(turn)) return false
  const row = await store.turn(session, turn)
  return !row || (row.state !== 'queued' && row.state !== 'running')
}

function belongsTo(each: Entry | Exclude<SessionEvent, { readonly type: 'entry' }>, turn: string | undefined): boolean {
  return turn === undefined || ('turn' in each && each.turn === turn)
}
