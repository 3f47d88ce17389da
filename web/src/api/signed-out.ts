const listeners = new Set<() => void>()

/** Notes that the gateway has refused this browser: it has no right to come in any more. */
export function noteSignedOut(): void {
  for (const listener of listeners) listener()
}

/** Calls the listener each time that the gateway refuses this browser. Returns a function that stops it. */
export function onSignedOut(listener: () => void): () => void {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}
