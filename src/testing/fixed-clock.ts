import { type Clock, clockOf } from '../platform.ts'

/** A clock that moves only by `advance`, and ids that are counted: `call_1`, `call_2` and so on, or `call_PREFIX1` with a prefix. */
export interface FixedClock extends Clock {
  /**
   * Moves the time forward by so many ms. What is due on the way runs at its time, in order, and promises are settled before
   * the next. Where nothing is due, the time has moved when this returns.
   * Fewer than 0 ms set the clock back.
   */
  advance(milliseconds: number): Promise<void>
  /** How long until each timer is due, ms, the next one first. */
  readonly timers: readonly number[]
  /** Resolves as soon as a timer waits that ends within so many ms. */
  waiting(milliseconds?: number): Promise<void>
}

export interface FixedClockOptions {
  /** ISO 8601. The default is noon of 2026-01-05 in UTC, a Monday. */
  readonly start?: string
  /** A prefix for ids, so that the ids of two clocks differ, such as before and after a restart. */
  readonly prefix?: string
  /** What sets its timers. With the clock of the system, time stands still and waits are real. Default: `advance` ends them. */
  readonly timers?: Pick<Clock, 'timer'>
}

/** Creates a clock for tests. The same run gives the same times and ids. */
export function fixedClock(options: FixedClockOptions = {}): FixedClock {
  const { start = '2026-01-05T12:00:00.000Z', prefix = '' } = options
  const began = Date.parse(start)
  const counts = new Map<string, number>()
  const timers = new Set<{ readonly due: number; readonly work: () => void }>()
  const watchers = new Set<() => void>()
  let passed = 0
  /** Work that has let other work go first. */
  const yielded = new Set<() => void>()

  const inOrder = () => [...timers].toSorted((one, other) => one.due - other.due)
  async function settle(): Promise<void> {
    do await new Promise<void>((resolve) => setImmediate(resolve))
    while (yielded.size > 0)
  }
  const clock = clockOf({
    now: () => began + passed,
    monotonic: () => passed,
    newId(kind) {
      const count = (counts.get(kind) ?? 0) + 1
      counts.set(kind, count)
      return `${kind}_${prefix}${count}`
    },
    timer(milliseconds, work, kind) {
      if (options.timers) return options.timers.timer(milliseconds, work, kind)
      const timer = { due: passed + Math.max(0, milliseconds), work }
      timers.add(timer)
      for (const look of watchers) look()
      return () => void timers.delete(timer)
    },
    soon(work) {
      const run = () => {
        yielded.delete(run)
        work()
      }
      yielded.add(run)
      setImmediate(run)
    },
  })
  return {
    ...clock,
    async advance(milliseconds) {
      const end = passed + milliseconds
      for (let [next] = inOrder(); next !== undefined && next.due <= end; [next] = inOrder()) {
        passed = Math.max(passed, next.due)
        timers.delete(next)
        next.work()
        await settle()
      }
      passed = milliseconds < 0 ? end : Math.max(passed, end)
    },
    get timers() {
      return inOrder().map(({ due }) => due - passed)
    },
    async waiting(milliseconds = Infinity) {
      const { promise, resolve } = Promise.withResolvers<void>()
      const look = () => void (inOrder().some(({ due }) => due - passed <= milliseconds) && resolve())
      watchers.add(look)
      look()
      await promise.finally(() => watchers.delete(look))
    },
  }
}
