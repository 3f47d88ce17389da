/** Waits of a runtime that end when a test rings, and no other time. */
export interface AlarmClock {
  readonly sleep: (milliseconds: number, signal: AbortSignal) => Promise<void>
  /** How long whoever sleeps wants to, ms. */
  readonly wanted: number | undefined
  /** Resolves when something sleeps. */
  asleep(): Promise<void>
  /** Resolves when something sleeps again. */
  nextSleep(): Promise<void>
  /** Ends every sleep, and resolves when something sleeps again. */
  ring(): Promise<void>
}

export function alarmClock(): AlarmClock {
  const sleepers = new Set<() => void>()
  let wanted: number | undefined
  let slept = Promise.withResolvers<void>()
  return {
    get wanted() {
      return wanted
    },
    sleep(milliseconds, signal) {
      const { promise, resolve } = Promise.withResolvers<void>()
      wanted = milliseconds
      sleepers.add(resolve)
      signal.addEventListener('abort', () => resolve(), { once: true })
      slept.resolve()
      return promise.finally(() => sleepers.delete(resolve))
    },
    asleep: () => slept.promise,
    nextSleep() {
      slept = Promise.withResolvers<void>()
      return slept.promise
    },
    ring() {
      slept = Promise.withResolvers<void>()
      for (const wake of sleepers) wake()
      return slept.promise
    },
  }
}
