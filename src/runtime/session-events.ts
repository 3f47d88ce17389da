import type { Entry, SessionStore } from '../session.ts'
import { type EventsOptions, RuntimeError, type SessionEvent } from './contract.ts'
import type { SessionDesk } from './session-desk.ts'
import { eventId, parseEventId } from './session-stream.ts'

/** Events that one reader may lag behind before its stream is ended. It can resume where it stopped. */
const LONGEST_QUEUE = 50_000
const PAGE = 500

/**
 * First what the log holds behind `after`, then live. A reader that was away gets every entry it missed, and of the
 * running call every word; a reader that is too slow is let go instead of holding anything up.
 */
export async function* sessionEvents(
  store: SessionStore,
  { session, stream, live }: SessionDesk,
  { after, turn, signal }: EventsOptions,
): AsyncGenerator<SessionEvent> {
  const seen = positionOf(after)
  const queue: SessionEvent[] = []
  let wake: (() => void) | undefined
  let overrun = false
  const subscription = stream.subscribe((event) => {
    // Once an event is missing no later one may be told, or a reader would go on behind the gap.
    if (overrun || queue.length >= LONGEST_QUEUE) overrun = true
    else queue.push(event)
    wake?.()
  })
  const onAbort = () => wake?.()
  signal?.addEventListener('abort', onAbort)
  try {
    let reached = seen.seq
    // Words whose message stands in the log are no longer provisional: the message has been told instead.
    let settled = 0
    const note = (entry: Entry) => {
      if (entry.type === 'message' || entry.type === 'turn-end') settled = entry.seq
    }
    // A word that is told behind an entry has an id behind it, or a reader who comes back would get the entry again.
    const behind = (event: SessionEvent): SessionEvent => {
      const { seq, delta } = parseEventId(event.id)!
      return seq < reached ? { ...event, id: eventId(reached, delta) } : event
    }
    const isCurrent = (event: SessionEvent) => !isDelta(event) || parseEventId(event.id)!.seq >= settled
    // Of a turn that is over nothing comes but what the log holds.
    const isPast = turn !== undefined && after !== undefined && !live.has(turn) && (await isOver(store, session, turn))
    if (after !== 'live') {
      for (;;) {
        const known = turn !== undefined && reached === 0 ? live.get(turn) : undefined
        const options = { after: reached, limit: PAGE, ...(turn === undefined ? {} : { turn }) }
        const entries = known ? [...known] : await store.entries(session, options)
        for (const entry of entries) {
          note(entry)
          yield { id: eventId(entry.seq, 0), type: 'entry', entry }
          if (isEnd(entry, turn)) return
        }
        reached = entries.at(-1)?.seq ?? reached
        if (known || entries.length < PAGE) break
      }
    }
    if (isPast) return
    if (after !== 'live') {
      const { since, events } = subscription.running
      const known = since <= seen.seq ? seen.delta : 0
      for (const event of events.slice(known)) if (concerns(event, turn) && isCurrent(event)) yield behind(event)
    }
    for (;;) {
      if (signal?.aborted) return
      for (const event of queue.splice(0)) {
        if (event.type === 'entry' && event.entry.seq <= reached) continue
        if (!concerns(event, turn) || !isCurrent(event)) continue
        if (event.type === 'entry') note(event.entry)
        yield behind(event)
        if (turn !== undefined && event.type === 'interrupted') return
        if (event.type === 'entry' && isEnd(event.entry, turn)) return
      }
      if (queue.length > 0) continue
      if (overrun || signal?.aborted) return
      await new Promise<void>((resolve) => {
        wake = resolve
      })
    }
  } finally {
    subscription.end()
    signal?.removeEventListener('abort', onAbort)
  }
}

function positionOf(after: string | undefined) {
  if (after === undefined || after === 'live') return { seq: 0, delta: 0 }
  const position = parseEventId(after)
  if (!position)
    throw new RuntimeError('invalid-input', `"${after}" is no event id. Give the id of the last event you saw.`)
  return position
}

async function isOver(store: SessionStore, session: string, turn: string): Promise<boolean> {
  const row = await store.turn(session, turn)
  return !row || (row.state !== 'queued' && row.state !== 'running')
}

function isDelta({ type }: SessionEvent): boolean {
  return type === 'text-delta' || type === 'reasoning-delta'
}

function isEnd(entry: Entry, turn: string | undefined): boolean {
  return turn !== undefined && entry.type === 'turn-end' && entry.turn === turn
}

function concerns(event: SessionEvent, turn: string | undefined): boolean {
  if (turn === undefined) return true
  if (event.type !== 'entry') return event.turn === turn
  return 'turn' in event.entry && event.entry.turn === turn
}
