/** A clock that moves only by `advance`, and ids that are counted. */
export interface FixedClock {
  /** ISO 8601, UTC, milliseconds. */
  time(): string
  /** Monotonic, ms. */
  monotonic(): number
  /** `call_1`, `call_2` and so on, or `call_PREFIX1` with a prefix. */
  newId(kind: string): string
  /** Moves both times forward, in ms. */
  advance(milliseconds: number): void
}

export interface FixedClockOptions {
  /** ISO 8601. The default is noon of 2026-01-05 in UTC, a Monday. */
  readonly start?: string
  /** A prefix for ids, so that the ids of two clocks differ, such as before and after a restart. */
  readonly prefix?: string
}

/** Creates a clock for tests. The same run gives the same times and ids. */
export function fixedClock({ start = '2026-01-05T12:00:00.000Z', prefix = '' }: FixedClockOptions = {}): FixedClock {
  const began = Date.parse(start)
  const counts = new Map<string, number>()
  let passed = 0
  return {
    time: () => new Date(began + passed).toISOString(),
    monotonic: () => passed,
    newId(kind) {
      const count = (counts.get(kind) ?? 0) + 1
      counts.set(kind, count)
      return `${kind}_${prefix}${count}`
    },
    advance(milliseconds) {
      passed += milliseconds
    },
  }
}
