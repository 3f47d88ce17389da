/** Keeps calls below a rate: some at once, then one after each interval. */
export interface Pace {
  /** How long the next call has to wait at a time, ms. */
  wait(now: number): number
  take(now: number): void
  /** Nothing that was taken still counts. */
  rested(now: number): boolean
}

export interface PaceOptions {
  /** How many may go at once after a rest. */
  readonly burst: number
  readonly everyMs: number
}

/** `burst` + one per `everyMs` is the most that goes within any span of time. */
export function createPace({ burst, everyMs }: PaceOptions): Pace {
  // When everything that was taken will have been made up for, ms. The whole state of a bucket that refills steadily.
  let settledAt = 0
  return {
    wait: (now) => Math.max(0, settledAt - now - (burst - 1) * everyMs),
    take(now) {
      settledAt = Math.max(settledAt, now) + everyMs
    },
    rested: (now) => settledAt <= now,
  }
}
