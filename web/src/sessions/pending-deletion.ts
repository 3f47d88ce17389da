import { useSyncExternalStore } from 'react'
import type { ApiError } from '../api/client.ts'
import { deleteSession } from '../api/session-requests.ts'
import { showToast } from '../parts/toasts.tsx'

/** How long a deletion can be undone, ms. */
const UNDO_MS = 8_000

let pending: ReadonlySet<string> = new Set()
const listeners = new Set<() => void>()

/**
 * Hides a session, and deletes it once the time for Undo is over. The gateway is asked only then: a page that is closed
 * before has deleted nothing.
 */
export function deleteWithUndo(session: string, title: string): void {
  change(new Set([...pending, session]))
  const timer = setTimeout(() => {
    deleteSession(session)
      .catch((error: ApiError) => {
        if (error.code !== 'not-found') showToast({ text: `${title} was not deleted: ${error.message}` })
      })
      .finally(() => keep(session))
  }, UNDO_MS)
  showToast({
    text: `${title} will be deleted.`,
    ms: UNDO_MS,
    action: {
      label: 'Undo',
      run() {
        clearTimeout(timer)
        keep(session)
      },
    },
  })
}

/** Ids of the sessions that are hidden because they are about to be deleted. */
export function usePendingDeletions(): ReadonlySet<string> {
  return useSyncExternalStore(subscribe, () => pending)
}

function keep(session: string): void {
  change(new Set([...pending].filter((each) => each !== session)))
}

function change(next: ReadonlySet<string>): void {
  pending = next
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
