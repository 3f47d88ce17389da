/** Runs one piece of work after another, in the order in which they were added. */
export interface SerialQueue {
  /** Runs `work` once everything before it has succeeded or failed. Rejects with what `work` throws. */
  add<Value>(work: () => Value | Promise<Value>): Promise<Value>
  /** Resolves once nothing is waiting or running, with what was added meanwhile. Never rejects. */
  idle(): Promise<void>
}

/** Creates a serial queue. */
export function serialQueue(): SerialQueue {
  const queues = keyedQueue<undefined>()
  return { add: (work) => queues.add(undefined, work), idle: queues.idle }
}

/** Runs work of one key in the order it was added, and work of different keys side by side. */
export interface KeyedQueue<Key> {
  add<Value>(key: Key, work: () => Value | Promise<Value>): Promise<Value>
  /** Whether work of this key waits or runs. */
  has(key: Key): boolean
  /** Keys that have work. */
  readonly size: number
  /** Resolves once nothing is waiting or running under any key. Never rejects. */
  idle(): Promise<void>
}

/** Creates a keyed queue. */
export function keyedQueue<Key>(): KeyedQueue<Key> {
  const last = new Map<Key, Promise<void>>()
  return {
    add(key, work) {
      const result = (last.get(key) ?? Promise.resolve()).then(work)
      const over = () => {
        if (last.get(key) === ended) last.delete(key)
      }
      const ended = result.then(over, over)
      last.set(key, ended)
      return result
    },
    has: (key) => last.has(key),
    get size() {
      return last.size
    },
    async idle() {
      while (last.size > 0) await Promise.all(last.values())
    },
  }
}
