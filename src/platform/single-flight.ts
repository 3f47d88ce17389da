/** Lets everybody who asks for the same thing at the same time wait for one piece of work. */
export interface SingleFlight<Key, Value> {
  /** What the work that runs under `key` comes to; where none does, `work` is begun. Rejects with what it throws. */
  run(key: Key, work: () => Promise<Value>): Promise<Value>
  /** The work that runs under `key`, if any. */
  get(key: Key): Promise<Value> | undefined
  has(key: Key): boolean
  /** Works that run now. */
  readonly size: number
  /** Those works. */
  running(): Iterable<Promise<Value>>
}

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
 * Runs `work` at the first call and answers every later call with the same promise. Where it fails, the next call runs it
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
