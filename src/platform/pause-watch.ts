import type { Clock } from './clock.ts'

/** How often it is looked, ms. A longer pause is never missed. */
const EVERY_MS = 50

/** Upper bounds, s. */
const BOUNDS: readonly number[] = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5]

/** How late timers ran: how long other work could not begin. Counts and sum only grow. */
export interface Pauses {
  /** How many were at most this long, s; the last bound is infinite and has all of them. */
  readonly buckets: readonly { readonly bound: number; readonly count: number }[]
  /** Seconds. */
  readonly sum: number
}

/** Watches the pauses of the event loop from now on, by a timer that keeps no process. Returns what reads them. */
export function watchPauses(clock: Pick<Clock, 'every' | 'monotonic'>): () => Pauses {
  const counts = [...BOUNDS, Infinity].map((bound) => ({ bound, count: 0 }))
  let sum = 0
  let due = clock.monotonic() + EVERY_MS
  clock.every(
    EVERY_MS,
    () => {
      const now = clock.monotonic()
      const late = Math.max(0, now - due) / 1_000
      due = now + EVERY_MS
      sum += late
      for (const each of counts) if (late <= each.bound) each.count += 1
    },
    { idle: true },
  )
  return () => ({ buckets: counts.map((each) => ({ ...each })), sum })
}
