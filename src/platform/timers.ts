import type { Clock } from './clock.ts'
import { ForewordError } from './foreword-error.ts'

/** What else ends the wait, and with which error. */
export interface TimeoutOptions {
  /** Ends the wait at once and rejects with its reason. */
  readonly signal?: AbortSignal | undefined
  /** What the promise rejects with when time is up; unless given, a `ForewordError` with the code `timeout`. */
  readonly error?: () => unknown
}

/**
 * Waits for `work`, at most so many milliseconds, and no longer than until the signal is aborted. The work itself continues;
 * a later failure of it is never an unhandled rejection.
 *
 * @throws what `work` throws, `signal.reason`, or `error()`
 */
export function withTimeout<Value>(
  clock: Clock,
  work: PromiseLike<Value>,
  milliseconds: number,
  {
    signal,
    error = () => new ForewordError('timeout', `It took longer than ${milliseconds} ms.`, { milliseconds }),
  }: TimeoutOptions = {},
): Promise<Value> {
  return new Promise<Value>((resolve, reject) => {
    const settle = (end: () => void) => {
      cancel()
      signal?.removeEventListener('abort', onAbort)
      end()
    }
    const onAbort = () => settle(() => reject(signal?.reason))
    const cancel = clock.timer(milliseconds, () => settle(() => reject(error())))
    // First of all, so that what fails after the signal has ended is never a rejection that nobody handles.
    work.then(
      (value) => settle(() => resolve(value)),
      (reason: unknown) => settle(() => reject(reason)),
    )
    if (signal?.aborted) onAbort()
    else signal?.addEventListener('abort', onAbort, { once: true })
  })
}

/** Whether `work` succeeds or fails within so many milliseconds. Never rejects. */
export async function settlesWithin(clock: Clock, work: PromiseLike<unknown>, milliseconds: number): Promise<boolean> {
  const late = Symbol('late')
  try {
    await withTimeout(clock, work, milliseconds, { error: () => late })
    return true
  } catch (error) {
    return error !== late
  }
}

/**
 * Ends what nobody waits for any more. Every `abort()` without a reason makes an error of its own with the lines that led to
 * it, which costs a turn more than its timers do.
 */
export const NO_LONGER_NEEDED = new DOMException('No longer needed.', 'AbortError')

/** How long a process that ends waits for an answer that is being paid for, ms: broken off, it would be asked for again. */
export const PAID_WORK_MS = 5_000

/**
 * The result of `work`, or a rejection with the reason of `signal` as soon as that is aborted. The work continues: this is
 * for work that ignores the signal, or that another caller may need. A later failure of it is ignored.
 */
export function orAborted<Result>(work: Promise<Result>, signal: AbortSignal | undefined): Promise<Result> {
  if (!signal) return work
  const aborted = Promise.withResolvers<never>()
  const abort = () => aborted.reject(signal.reason)
  signal.addEventListener('abort', abort, { once: true })
  if (signal.aborted) abort()
  return Promise.race([work, aborted.promise]).finally(() => signal.removeEventListener('abort', abort))
}
