import { type BacklogBudget, eventSize } from './backlog-budget.ts'
import type { SessionEvent } from '../../capability.ts'
import type { SessionStream, Subscription } from './session-stream.ts'

/** Events that one reader may lag behind before its stream is ended. It can resume where it stopped. */
const LONGEST_BACKLOG = 50_000

const BATCH = 256

/** What happened in a session and one reader has not taken yet. */
export interface EventBacklog {
  /** What the running call had told before this backlog was opened. */
  readonly running: Subscription['running']
  /**
   * Waits until there is something to take, and then calls `waited`. Answers false where nothing more is to be told to this
   * reader.
   */
  more(waited?: () => void): Promise<boolean>
  /** The next events, in batches: what a slow reader has in hand is little, too. */
  take(): readonly SessionEvent[]
  /** Takes part no longer. */
  end(): void
}

/** Collects from now on, until `end`. Aborting `signal` ends the waiting at once. `budget` bounds all readers together. */
export function openBacklog(
  stream: SessionStream,
  signal: AbortSignal | undefined,
  budget: BacklogBudget,
): EventBacklog {
  const events: SessionEvent[] = []
  let overrun = false
  let wake: (() => void) | undefined
  const share = budget.join(() => {
    overrun = true
    drop()
    wake?.()
  })
  const drop = (): readonly SessionEvent[] => {
    share.clear()
    return events.splice(0)
  }
  const subscription = stream.subscribe((event) => {
    // Once an event is missing no later one may be told, or a reader would go on behind the gap.
    if (overrun || events.length >= LONGEST_BACKLOG) overrun = true
    else {
      events.push(event)
      share.add(eventSize(event))
    }
    wake?.()
  })
  const onAbort = () => wake?.()
  signal?.addEventListener('abort', onAbort)

  return {
    running: subscription.running,
    async more(waited) {
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
    take() {
      const batch = events.splice(0, BATCH)
      if (events.length === 0) share.clear()
      else share.add(-batch.reduce((sum, event) => sum + eventSize(event), 0))
      return batch
    },
    end() {
      drop()
      subscription.end()
      signal?.removeEventListener('abort', onAbort)
    },
  }
}
