import type { ReactNode } from 'react'
import { navigate } from 'wouter/use-browser-location'
import { late } from '../parts/late.tsx'
import { openOverlay, useOverlay } from '../parts/overlays.ts'

const loadPalette = () => import('./command-palette.tsx')
const CommandPalette = late(loadPalette, () => null)
const KeysDialog = late(
  () => import('./keys-dialog.tsx'),
  () => null,
)

/** The keys that work on every page. They are followed before it is drawn: what is pressed while it loads is not lost. */
export function followShortcuts(): void {
  globalThis.addEventListener('keydown', (event) => {
    // Loaded with the first of its keys, so that what is typed behind the second goes into it.
    if (event.key === 'Control' || event.key === 'Meta') loadPalette().catch(() => {})
    const action = actionOf(event)
    // The letter itself then goes where the focus is.
    if (isForMessage(event) || isPaste(event)) document.querySelector<HTMLTextAreaElement>('#message')?.focus()
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
  })
}

export function Shortcuts(): ReactNode {
  const overlay = useOverlay()
  const close = (): void => openOverlay(undefined)
  return (
    <>
      {overlay === 'palette' && <CommandPalette onClose={close} />}
      {overlay === 'keys' && <KeysDialog onClose={close} />}
    </>
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

/** A letter that is typed where no one reads letters. */
function isForMessage({ key, ctrlKey, metaKey, altKey, target, defaultPrevented }: KeyboardEvent): boolean {
  if (defaultPrevented || ctrlKey || metaKey || altKey || !/^[\p{L}\p{N}]$/u.test(key) || isTyping(target)) return false
  return document.querySelector('dialog[open], :popover-open') === null
}

/** What is pasted where no one writes goes into the message, as a letter does. */
function isPaste({ key, ctrlKey, metaKey, altKey, target, defaultPrevented }: KeyboardEvent): boolean {
  if (defaultPrevented || !(ctrlKey || metaKey) || altKey || key.toLowerCase() !== 'v' || isTyping(target)) return false
  return document.querySelector('dialog[open], :popover-open') === null
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && (target.isContentEditable || target.matches('input, textarea, select'))
}
