/** Waits that long (ms), or until `signal` is aborted. Never rejects. */
export type Sleep = (ms: number, signal: AbortSignal) => Promise<void>

/** Intervals and time limits, ms. */
export const telegramTimes = {
  /** From one typing indicator to the next. Telegram shows each for five seconds. */
  typing: 4_500,
  /** From the first word to the first message, so that a quick answer is one message. */
  firstWords: 600,
  /** From one edit of a growing reply to the next, in the chat of one person and in a group. */
  personalEdit: 1_500,
  groupEdit: 4_000,
  /** How long the channel waits for each further message of an album. */
  album: 1_500,
  /** How long Telegram keeps a poll open while there are no updates. */
  poll: 30_000,
} as const

const SHORTEST_BACKOFF = 1_000
const LONGEST_BACKOFF = 60_000

/** Before the nth retry, from 1: 1,000 to 60,000 ms. `random` gives 0 to 1 and spreads retries of many processes. */
export function backoffMs(n: number, random: () => number): number {
  const whole = Math.min(LONGEST_BACKOFF, SHORTEST_BACKOFF * 2 ** Math.min(n - 1, 10))
  return Math.max(SHORTEST_BACKOFF, whole * (0.5 + random() / 2))
}

/** A token bucket: some calls at once, then one per interval. */
export type Pace = ReturnType<typeof createPace>

/** `burst`: how many calls may start at once when the bucket is full. Any span of time has at most `burst` plus one per `everyMs`. */
export function createPace({ burst, everyMs }: { readonly burst: number; readonly everyMs: number }) {
  // When the bucket is full again, ms. This is the whole state of a bucket that refills steadily.
  let fullAt = 0
  return {
    /** How long the next call has to wait at the time `now`, ms. */
    wait: (now: number) => Math.max(0, fullAt - now - (burst - 1) * everyMs),
    take(now: number): void {
      fullAt = Math.max(fullAt, now) + everyMs
    },

    rested: (now: number) => fullAt <= now,
  }
}
