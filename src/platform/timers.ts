import { ForewordError } from './foreword-error.ts'

export interface TimeoutOptions {
  /** Ends the wait at once, with its reason. */
  readonly signal?: AbortSignal | undefined
  /** What the promise rejects with when time is up; unless given, a `ForewordError` with the code `timeout`. */
  readonly error?: () => unknown
}

/**
 * Waits for `work`, at most so many milliseconds, and no longer than the signal allows. The work itself goes on: what it
 * fails with later is never an unhandled rejection.
 *
 * @throws what `work` throws, `signal.reason`, or `error()`
 */
export function withTimeout<Value>(
  work: PromiseLike<Value>,
  milliseconds: number,
  { signal, error = () => timeoutError(milliseconds) }: TimeoutOptions = {},
): Promise<Value> {
  return new Promise<Value>((resolve, reject) => {
    const settle = (end: () => void) => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', onAbort)
      end()
    }
    const onAbort = () => settle(() => reject(signal?.reason))
    const timer = setTimeout(() => settle(() => reject(error())), milliseconds)
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
export async function settlesWithin(work: PromiseLike<unknown>, milliseconds: number): Promise<boolean> {
  const late = Symbol('late')
  try {
    await withTimeout(work, milliseconds, { error: () => late })
    return true
  } catch (error) {
    return error !== late
  }
}

function timeoutError(milliseconds: number): ForewordError {
  return new ForewordError('timeout', `It took longer than ${milliseconds} ms.`, { milliseconds })
}

/**
 * What `work` comes to, or a rejection with the reason of `signal` as soon as that is aborted. The work goes on: this is for
 * work that does not mind the signal, or that somebody else asks for next. What it fails with later troubles nobody.
 */
export function orAborted<Result>(work: Promise<Result>, signal: AbortSignal | undefined): Promise<Result> {
  if (!signal) return work
  const aborted = Promise.withResolvers<never>()
  const leave = () => aborted.reject(signal.reason)
  signal.addEventListener('abort', leave, { once: true })
  if (signal.aborted) leave()
  return Promise.race([work, aborted.promise]).finally(() => signal.removeEventListener('abort', leave))
}

/** The longest time that a timer takes, ms. */
const LONGEST_MS = 2 ** 31 - 1

/** Resolves after so many milliseconds, or as soon as one of the signals is aborted. Never rejects. */
export function sleep(milliseconds: number, ...signals: readonly (AbortSignal | undefined)[]): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer)
      for (const signal of signals) signal?.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, Math.min(milliseconds, LONGEST_MS))
    for (const signal of signals) {
      if (signal?.aborted) end()
      else signal?.addEventListener('abort', end, { once: true })
    }
  })
}
