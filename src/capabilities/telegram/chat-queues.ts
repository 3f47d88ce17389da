/** Work of several chats: in order within each, side by side among them. */
export interface ChatQueues {
  /** Does the work once everything that was added under the same key is done. */
  add(key: string, work: () => Promise<void>): void
  /** Once nothing is left to do. */
  settled(): Promise<void>
}

/** `onFault` is told of work that rejected; what comes behind it goes on. */
export function createChatQueues(onFault: (error: unknown) => void): ChatQueues {
  const last = new Map<string, Promise<void>>()
  return {
    add(key, work) {
      const now = (last.get(key) ?? Promise.resolve())
        .then(work)
        .catch(onFault)
        .finally(() => {
          if (last.get(key) === now) last.delete(key)
        })
      last.set(key, now)
    },
    async settled() {
      while (last.size > 0) await Promise.all(last.values())
    },
  }
}
