import { lazy, type ReactNode, Suspense, useEffect } from 'react'
import { useLocation } from 'wouter'
import { openOverlay, useOverlay } from '../parts/overlays.ts'

const CommandPalette = lazy(() => import('./command-palette.tsx'))
const KeysDialog = lazy(() => import('./keys-dialog.tsx'))

/** The keys that work on every page, and the windows that they open. */
export function Shortcuts(): ReactNode {
  const overlay = useOverlay()
  const [, navigate] = useLocation()

  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent): void => {
      const action = actionOf(event)
      if (action === undefined) return
      event.preventDefault()
      if (action === 'new') {
        openOverlay(undefined)
        navigate('/')
      } else if (action === 'message') {
        document.querySelector<HTMLTextAreaElement>('#message')?.focus()
      } else {
        openOverlay(action)
      }
    }
    globalThis.addEventListener('keydown', onKeyDown)
    return () => globalThis.removeEventListener('keydown', onKeyDown)
  }, [navigate])

  const close = (): void => openOverlay(undefined)
  return (
    <Suspense fallback={null}>
      {overlay === 'palette' && <CommandPalette onClose={close} />}
      {overlay === 'keys' && <KeysDialog onClose={close} />}
    </Suspense>
  )
}

function actionOf(event: KeyboardEvent): 'palette' | 'keys' | 'new' | 'message' | undefined {
  const { key, ctrlKey, metaKey, altKey, shiftKey } = event
  if ((ctrlKey || metaKey) && !altKey && key.toLowerCase() === 'k') return 'palette'
  if ((ctrlKey || metaKey) && shiftKey && key.toLowerCase() === 'o') return 'new'
  if (ctrlKey || metaKey || altKey || isTyping(event.target) || document.querySelector('dialog[open]')) return undefined
  if (key === '?') return 'keys'
  return key === '/' ? 'message' : undefined
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && (target.isContentEditable || target.matches('input, textarea, select'))
}
