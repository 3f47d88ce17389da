import { withTimeout } from '../platform.ts'

/** How long a call waits, in milliseconds. */
export interface Timeouts {
  /** From the request to the first piece of an answer: connecting, loading the model, reading the prompt. */
  readonly firstMs: number
  /** Between one piece of the answer and the next. */
  readonly idleMs: number
}

export const DEFAULT_TIMEOUTS: Timeouts = { firstMs: 120_000, idleMs: 60_000 }

/** Thrown by `withinTime` when time is up. */
export class TimeoutExceeded extends Error {
  override readonly name = 'TimeoutExceeded'
  readonly milliseconds: number

  constructor(milliseconds: number) {
    super(`nothing came for ${milliseconds} ms`)
    this.milliseconds = milliseconds
  }
}

/** Waits for a promise, at most so long, and no longer than the signal allows. */
export function withinTime<T>(work: PromiseLike<T>, milliseconds: number, signal: AbortSignal): Promise<T> {
  return withTimeout(work, milliseconds, { signal, error: () => new TimeoutExceeded(milliseconds) })
}
