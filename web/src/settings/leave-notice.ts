import { type RefObject, useEffect, useRef } from 'react'
import { showToast } from '../parts/toasts.tsx'
import { t } from '../language/language.ts'

/**
 * While something is changed and not saved, the browser asks before the window is closed; a person who goes to another page
 * is told that the change is kept. The answer is what counts when the page is left: set it to `false` where the change ends
 * together with the page.
 */
export function useLeaveNotice(changed: boolean): RefObject<boolean> {
  const unsaved = useRef(changed)
  useEffect(() => {
    unsaved.current = changed
    if (!changed) return
    const ask = (event: BeforeUnloadEvent): void => event.preventDefault()
    window.addEventListener('beforeunload', ask)
    return () => window.removeEventListener('beforeunload', ask)
  }, [changed])
  useEffect(
    () => () => {
      if (unsaved.current) showToast({ text: t`Your changes are not saved. You find them here when you come back.` })
    },
    [],
  )
  return unsaved
}
