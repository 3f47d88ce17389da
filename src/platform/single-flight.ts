/** Shares one piece of work among concurrent requests for the same key. */
export function singleFlight<Key, Value>() {
  const running = new Map<Key, Promise<Value>>()
  return {
    /** The result of the work that runs under `key`; where none runs, starts `work`. Rejects with what it throws. */
    run(key: Key, work: () => Promise<Value>): Promise<Value> {
      const before = running.get(key)
      if (before) return before
      const begun = work().finally(() => running.delete(key))
      running.set(key, begun)
      return begun
    },
    /** The work that runs under `key`, if any. */
    get: (key: Key): Promise<Value> | undefined => running.get(key),
    has: (key: Key): boolean => running.has(key),
    get size(): number {
      return running.size
    },
    running: (): Iterable<Promise<Value>> => running.values(),
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
