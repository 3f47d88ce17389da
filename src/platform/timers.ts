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

/** The longest time that a timer accepts, ms. */
const LONGEST_MS = 2 ** 31 - 1

/** Resolves after so many milliseconds, or as soon as one of the signals is aborted. Never rejects. */
export function sleep(milliseconds: number, ...signals: readonly (AbortSignal | undefined)[]): Promise<void> {
  return timerEnd(milliseconds, signals, true)
}

/** The same for work that no process has to stay for. */
export function idleSleep(milliseconds: number, signal: AbortSignal): Promise<void> {
  return timerEnd(milliseconds, [signal], false)
}

function timerEnd(
  milliseconds: number,
  signals: readonly (AbortSignal | undefined)[],
  holdsProcess: boolean,
): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer)
      for (const signal of signals) signal?.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, Math.min(milliseconds, LONGEST_MS))
    if (!holdsProcess) timer.unref()
    for (const signal of signals) {
      if (signal?.aborted) end()
      else signal?.addEventListener('abort', end, { once: true })
    }
  })
}
