import type { SessionEvent } from '../../capability.ts'
import type { SessionStream } from './session-stream.ts'

/** Events that one reader may lag behind before its stream is ended. It can resume where it stopped. */
const LONGEST_BACKLOG = 50_000

const BATCH = 256

/** Collects from now on, until `end`. Aborting `signal` ends the waiting at once. `budget` bounds all readers together. */
export function openBacklog(stream: SessionStream, signal: AbortSignal | undefined, budget: BacklogBudget) {
  const events: SessionEvent[] = []
  let overrun = false
  let wake: (() => void) | undefined
  /** Of all that is in `events`, characters. */
  let held = 0
  const report = budget.join(() => {
    overrun = true
    events.length = 0
    report((held = 0))
    wake?.()
  })
  const subscription = stream.subscribe((event) => {
    // Once an event is missing no later one may be sent, or a reader would continue behind the gap.
    if (overrun || events.length >= LONGEST_BACKLOG) overrun = true
    else {
      events.push(event)
      report((held += heldCharacters(event)))
    }
    wake?.()
  })
  const onAbort = () => wake?.()
  signal?.addEventListener('abort', onAbort)

  return {
    /** Deltas of the running call from before this backlog was opened. */
    running: subscription.running,
    /** Waits until there is an event, then calls `waited`. Returns false where nothing more comes for this reader. */
    async more(waited?: () => void) {
      for (;;) {
        if (signal?.aborted) return false
        if (events.length > 0) return true
        if (overrun) return false
        await new Promise<void>((resolve) => {
          wake = resolve
        })
        waited?.()
      }
    },
    /** The next events, in batches: what a slow reader has in hand is little, too. */
    take() {
      const batch = events.splice(0, BATCH)
      report((held = events.length === 0 ? 0 : batch.reduce((sum, event) => sum - heldCharacters(event), held)))
      return batch
    },
    end() {
      events.length = 0
      report((held = 0))
      subscription.end()
      signal?.removeEventListener('abort', onAbort)
    },
  }
}

/** What all readers together may lag behind. Readers of a fast answer share its events, so this is the most it can be. Characters. */
const MOST_IN_ALL = 64 * 1024 * 1024

/** Bounds what is kept for slow readers in all: where it is too much, the slowest is let go. */
export interface BacklogBudget {
  /**
   * Returns what is called with how much is kept for the reader whenever that changes, characters. `letGo` ends the reader: it can
   * come back and continue from the last event it received.
   */
  join(letGo: () => void): (held: number) => void
}

export function createBacklogBudget(most = MOST_IN_ALL): BacklogBudget {
  const readers = new Map<() => void, number>()
  let all = 0
  return {
    join: (letGo) => (held) => {
      all += held - (readers.get(letGo) ?? 0)
      if (held === 0) readers.delete(letGo)
      else readers.set(letGo, held)
      if (all > most) slowestReader(readers)?.()
    },
  }
}

function slowestReader(readers: ReadonlyMap<() => void, number>): (() => void) | undefined {
  let slowest: (() => void) | undefined
  for (const [letGo, held] of readers) {
    if (slowest === undefined || held > readers.get(slowest)!) slowest = letGo
  }
  return slowest
}

/** Even an event with few words needs memory. */
const LEAST_EVENT = 200

/** About how much memory an event needs, characters. */
function heldCharacters(event: SessionEvent): number {
  return LEAST_EVENT + ('text' in event ? event.text.length : event.type === 'entry' ? textLength(event.entry) : 0)
}

function textLength(value: unknown): number {
  if (typeof value === 'string') return value.length
  if (typeof value !== 'object' || value === null) return 0
  let sum = 0
  for (const inner of Object.values(value)) sum += textLength(inner)
  return sum
}
