/** Runs one piece of work after another, in the order in which they were added. */
export function serialQueue() {
  const queues = keyedQueue<undefined>()
  return {
    add: <Value>(work: () => Value | Promise<Value>): Promise<Value> => queues.add(undefined, work),
    idle: queues.idle,
  }
}

/** Runs work of one key in the order it was added, and work of different keys side by side. */
export function keyedQueue<Key>() {
  const last = new Map<Key, Promise<void>>()
  const emptied = async (): Promise<void> => {
    while (last.size > 0) await Promise.all(last.values())
  }
  return {
    /** Runs `work` once everything before it has succeeded or failed. Rejects with what `work` throws. */
    add<Value>(key: Key, work: () => Value | Promise<Value>): Promise<Value> {
      const result = (last.get(key) ?? Promise.resolve()).then(work)
      const over = () => {
        if (last.get(key) === ended) last.delete(key)
      }
      const ended = result.then(over, over)
      last.set(key, ended)
      return result
    },
    /** Whether work of this key waits or runs. */
    has: (key: Key): boolean => last.has(key),
    /** Keys that have work. */
    get size(): number {
      return last.size
    },
    /** Resolves once nothing is waiting or running, with what was added meanwhile; `undefined`: that is so now. Never rejects. */
    idle: (): Promise<void> | undefined => (last.size > 0 ? emptied() : undefined),
  }
}

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
