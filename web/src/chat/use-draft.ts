import { useCallback, useRef, useState } from 'react'
import { type Draft, emptyDraft, keepDraft, readDraft } from './drafts.ts'

/** The draft of a session. Every change is kept at once. */
export interface HeldDraft {
  readonly draft: Draft
  change(change: Partial<Draft>): void
  /** Clears it, after it was sent. */
  clear(): void
  /** As it is now, also between two renderings. */
  current(): Draft
}

/** The component has to be mounted anew for another session. */
export function useDraft(session: string | undefined): HeldDraft {
  const [draft, setDraft] = useState(() => readDraft(session))
  const latest = useRef(draft)
  const change = useCallback(
    (next: Partial<Draft>) => {
      latest.current = { ...latest.current, ...next }
      keepDraft(session, latest.current)
      setDraft(latest.current)
    },
    [session],
  )
  const clear = useCallback(() => change(emptyDraft), [change])
  const current = useCallback(() => latest.current, [])
  return { draft, change, clear, current }
}
