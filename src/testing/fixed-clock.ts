/** Time that moves only when it is told to, and names that are counted. */
export interface FixedClock {
  /** ISO 8601, UTC, milliseconds. */
  time(): string
  /** Monotonic, ms. */
  monotonic(): number
  /** `call_1`, `call_2`, … with the prefix of the clock behind the kind. */
  newId(kind: string): string
  /** Moves both times on, ms. */
  advance(milliseconds: number): void
}

export interface FixedClockOptions {
  /** ISO 8601. Noon of 2026-01-05, UTC, a Monday, unless given. */
  readonly start?: string
  /** Keeps the names of one clock apart from those of another, such as before and after a restart. */
  readonly prefix?: string
}

/** A clock for tests, where the same run gives the same times and the same names. */
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
