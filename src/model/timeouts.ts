/** How long a call waits, in milliseconds. */
export interface Timeouts {
  /** From the request to the first piece of an answer: connecting, loading the model, reading the prompt. */
  readonly firstMs: number
  /** Between one piece of the answer and the next. */
  readonly idleMs: number
}

export const DEFAULT_TIMEOUTS: Timeouts = { firstMs: 120_000, idleMs: 60_000 }

/** Thrown by `withTimeout` when time is up. */
export class TimeoutExceeded extends Error {
  override readonly name = 'TimeoutExceeded'
  readonly milliseconds: number

  constructor(milliseconds: number) {
    super(`nothing came for ${milliseconds} ms`)
    this.milliseconds = milliseconds
  }
}

/** Waits for a promise, at most so long, and not a moment longer than the signal allows. */
export function withTimeout<T>(promise: PromiseLike<T>, milliseconds: number, signal: AbortSignal): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const timer = setTimeout(() => settle(() => reject(new TimeoutExceeded(milliseconds))), milliseconds)
    const aborted = () => settle(() => reject(signal.reason))
    const settle = (then: () => void) => {
      clearTimeout(timer)
      signal.removeEventListener('abort', aborted)
      then()
    }
    // First of all, so that what fails after the signal has ended is never a rejection that nobody handles.
    promise.then(
      (value) => settle(() => resolve(value)),
      (error: unknown) => settle(() => reject(error)),
    )
    if (signal.aborted) return aborted()
    signal.addEventListener('abort', aborted, { once: true })
  })
}
