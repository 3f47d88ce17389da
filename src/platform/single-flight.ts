/** Shares one piece of work among concurrent requests for the same key. */
export interface SingleFlight<Key, Value> {
  /** The result of the work that runs under `key`; where none runs, starts `work`. Rejects with what it throws. */
  run(key: Key, work: () => Promise<Value>): Promise<Value>
  /** The work that runs under `key`, if any. */
  get(key: Key): Promise<Value> | undefined
  has(key: Key): boolean
  /** How many are running. */
  readonly size: number
  /** The promises of those that are running. */
  running(): Iterable<Promise<Value>>
}

/** Creates a single flight. */
export function singleFlight<Key, Value>(): SingleFlight<Key, Value> {
  const running = new Map<Key, Promise<Value>>()
  return {
    run(key, work) {
      const before = running.get(key)
      if (before) return before
      const begun = work().finally(() => running.delete(key))
      running.set(key, begun)
      return begun
    },
    get: (key) => running.get(key),
    has: (key) => running.has(key),
    get size() {
      return running.size
    },
    running: () => running.values(),
  }
}

/**
 * Runs `work` at the first call and returns the same promise for every later call. Where it fails, the next call runs it
 * again.
 */
export function once<Value>(work: () => Promise<Value>): () => Promise<Value> {
  let begun: Promise<Value> | undefined
  return () =>
    (begun ??= work().catch((error: unknown) => {
      begun = undefined
      throw error
    }))
}
