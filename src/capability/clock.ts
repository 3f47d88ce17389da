/** Time and chance, as arguments. */
export interface Clock {
  /** Resolves after so many ms, or as soon as the signal says so. By the timers of this machine unless given. */
  sleep?(milliseconds: number, signal: AbortSignal): Promise<void>
  /** ISO 8601, UTC, milliseconds. */
  time(): string
  /** Monotonic, ms. */
  monotonic(): number
  /** A name that no other thing has, such as `call_3fk9…`. */
  newId(kind: string): string
}
