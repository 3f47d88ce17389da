/** Lets a few in at once; the others wait in the order in which they came. */
export interface Turnstile {
  /** Resolves with what has to be called on leaving. Rejects with the reason of `signal` while waiting. */
  enter(signal: AbortSignal): Promise<() => void>
}

export function createTurnstile(most: number): Turnstile {
  let inside = 0
  const waiting: (() => void)[] = []
  const leave = () => {
    inside -= 1
    waiting.shift()?.()
  }
  return {
    async enter(signal) {
      signal.throwIfAborted()
      if (inside < most) {
        inside += 1
        return leave
      }
      const { promise, resolve, reject } = Promise.withResolvers<void>()
      const goIn = () => {
        inside += 1
        resolve()
      }
      const goAway = () => {
        waiting.splice(waiting.indexOf(goIn), 1)
        reject(signal.reason)
      }
      waiting.push(goIn)
      signal.addEventListener('abort', goAway, { once: true })
      try {
        await promise
      } finally {
        signal.removeEventListener('abort', goAway)
      }
      return leave
    },
  }
}
