import { useCallback, useEffect, useRef, useState } from 'react'
import { type Draft, draftKey, emptyDraft, keepDraft, readDraft } from './drafts.ts'

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
  // Two tabs keep one draft: what was sent in the other goes here, too, and what is only here stays.
  useEffect(
    () => followDraft(session, ({ text }) => (text === latest.current.text ? clear() : change({}))),
    [session, clear, change],
  )
  const current = useCallback(() => latest.current, [])
  return { draft, change, clear, current }
}

/** Calls `onEmptied` when another tab has nothing more in the field of this session, with what it had. Returns the way to stop. */
function followDraft(session: string | undefined, onEmptied: (before: Draft) => void): () => void {
  const listen = ({ key, oldValue, newValue }: StorageEvent): void => {
    if (key === draftKey(session) && newValue === null && oldValue !== null) onEmptied(JSON.parse(oldValue) as Draft)
  }
  addEventListener('storage', listen)
  return () => removeEventListener('storage', listen)
}
