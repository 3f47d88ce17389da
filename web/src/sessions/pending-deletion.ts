import type { ApiError } from '../api/client.ts'
import { deleteSession } from '../api/session-requests.ts'
import { createShared } from '../parts/asked.ts'
import { showToast } from '../parts/toasts.tsx'
import { t } from '../language/language.ts'

/** How long a deletion can be undone, ms. */
const UNDO_MS = 8_000

const pending = createShared<ReadonlySet<string>>(new Set())
/** Carries out each deletion once its time is over. */
const finish = new Map<string, () => Promise<void>>()

/**
 * Hides a session, and deletes it once the time for Undo is over. The gateway is asked only then: a page that is closed
 * before has deleted nothing.
 */
export function deleteWithUndo(session: string, title: string): void {
  pending.set(new Set([...pending.get(), session]))
  const remove = async (): Promise<void> => {
    clearTimeout(timer)
    finish.delete(session)
    hideToast()
    try {
      await deleteSession(session)
    } catch (failed) {
      const { code, message } = failed as ApiError
      if (code !== 'not-found') showToast({ text: t`${title} was not deleted: ${message}` })
    }
    keep(session)
  }
  const timer = setTimeout(() => void remove(), UNDO_MS)
  finish.set(session, remove)
  const hideToast = showToast({
    text: t`${title} will be deleted.`,
    ms: UNDO_MS,
    action: {
      label: t`Undo`,
      run() {
        clearTimeout(timer)
        finish.delete(session)
        keep(session)
      },
    },
  })
}

/** Deletes a session at once if it waits to be deleted, such as before it is imported again. Never rejects. */
export async function finishDeletion(session: string): Promise<void> {
  await finish.get(session)?.()
}

/** Ids of the sessions that are hidden because they are about to be deleted. */
export const usePendingDeletions = pending.use

function keep(session: string): void {
  pending.set(new Set([...pending.get()].filter((each) => each !== session)))
}
