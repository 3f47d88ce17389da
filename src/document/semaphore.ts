/** Lets a limited number of tasks run at once; the others wait in order. */
interface Semaphore {
  /** Resolves with the function that releases the slot. Rejects with the reason of `signal` while waiting. */
  acquire(signal: AbortSignal): Promise<() => void>
}

export function createSemaphore(slots: number): Semaphore {
  let taken = 0
  const waiting: (() => void)[] = []
  const release = () => {
    taken -= 1
    waiting.shift()?.()
  }
  return {
    async acquire(signal) {
      signal.throwIfAborted()
      if (taken < slots) {
        taken += 1
        return release
      }
      const { promise, resolve, reject } = Promise.withResolvers<void>()
      const take = () => {
        taken += 1
        resolve()
      }
      const abandon = () => {
        const place = waiting.indexOf(take)
        if (place !== -1) waiting.splice(place, 1)
        reject(signal.reason)
      }
      waiting.push(take)
      signal.addEventListener('abort', abandon, { once: true })
      try {
        await promise
      } finally {
        signal.removeEventListener('abort', abandon)
      }
      return release
    },
  }
}
