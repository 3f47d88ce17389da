/** Whether the last call that the page made got no answer. */
let away = false
const listeners = new Set<() => void>()

/** Notes that a call of the page got an answer of any kind, or none. */
export function noteReach(answered: boolean): void {
  if (answered && away) tryAgain()
  away = !answered
}

/** What waits for the gateway tries again at once, as when the network returns. */
export function tryAgain(): void {
  for (const listener of listeners) listener()
}

/** Calls the listener each time that the gateway answers again. Returns a function that stops it. */
export function onReachable(listener: () => void): () => void {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

/** Resolves after `ms`; before that when the gateway answers again or the network returns, or when `signal` is aborted. */
export function untilReachable(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer)
      stop()
      signal.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, ms)
    const stop = onReachable(done)
    signal.addEventListener('abort', done)
  })
}
