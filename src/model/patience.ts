/** How long a call waits, in milliseconds. */
export interface Patience {
  /** From the request to the first piece of an answer: connecting, loading the model, reading the prompt. */
  readonly firstMs: number
  /** Between one piece of the answer and the next. */
  readonly idleMs: number
}

export const DEFAULT_PATIENCE: Patience = { firstMs: 120_000, idleMs: 60_000 }

/** Thrown by `within` when time is up. */
export class OutOfPatience extends Error {
  override readonly name = 'OutOfPatience'
  readonly milliseconds: number

  constructor(milliseconds: number) {
    super(`nothing came for ${milliseconds} ms`)
    this.milliseconds = milliseconds
  }
}

/** Waits for a promise, at most so long, and not a moment longer than the signal allows. */
export function within<T>(promise: PromiseLike<T>, milliseconds: number, signal: AbortSignal): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const timer = setTimeout(() => settle(() => reject(new OutOfPatience(milliseconds))), milliseconds)
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
