import { useSyncExternalStore } from 'react'

/** Windows over the page that any part of it may open: one at a time. */
export type Overlay = 'palette' | 'keys'

let open: Overlay | undefined
const listeners = new Set<() => void>()

export function openOverlay(overlay: Overlay | undefined): void {
  open = overlay
  for (const listener of listeners) listener()
}

export function useOverlay(): Overlay | undefined {
  return useSyncExternalStore(subscribe, () => open)
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
