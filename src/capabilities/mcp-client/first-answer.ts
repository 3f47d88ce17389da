import type { Later } from './link.ts'

/** The wait for the first answer ever of one server. */
export interface FirstAnswer {
  /** Resolves when the server has answered, or was waited for long enough. */
  readonly over: Promise<void>
  /** The time begins to run, if it does not yet. */
  start(): void
  answered(): void
  /** Nobody waits any more. */
  stop(): void
  /** It answered when the wait was over. */
  isLate(): boolean
}

/** `onTime` is called with an answer that comes before the wait is over, and with no other. */
export function firstAnswer(limitMs: number, later: Later, onTime: () => void): FirstAnswer {
  const { promise, resolve } = Promise.withResolvers<void>()
  let state: 'waiting' | 'answered' | 'over' | 'late' = 'waiting'
  let callOff: (() => void) | undefined

  function stop(): void {
    callOff?.()
    if (state === 'waiting') state = 'over'
    resolve()
  }

  return {
    over: promise,
    start() {
      if (state === 'waiting') callOff ??= later(limitMs, stop)
    },
    answered() {
      if (state === 'over') state = 'late'
      if (state !== 'waiting') return
      state = 'answered'
      onTime()
      stop()
    },
    stop,
    isLate: () => state === 'late',
  }
}
