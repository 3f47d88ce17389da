import { type KeyboardEvent, type MouseEvent, type PointerEvent, type ReactNode, useRef } from 'react'
import { closeFloating, Floating, type OpenedBy, type Trigger } from './floating.tsx'
import { matchingItem } from './typeahead.ts'

interface MenuProps {
  readonly trigger: Trigger
  readonly children: ReactNode
  readonly align?: 'start' | 'end'
}

/** How long letters belong to one word that is looked for, ms. */
const WORD_MS = 1_000

/** A menu below its button, with `MenuItem`s: arrow keys, Home, End and first letters go to an item. */
export function Menu({ trigger, children, align = 'end' }: MenuProps): ReactNode {
  const typed = useRef({ text: '', time: 0 })

  const onKeyDown = (event: KeyboardEvent<HTMLElement>): void => {
    const items = itemsOf(event.currentTarget)
    const at = items.indexOf(document.activeElement as HTMLElement)
    const { key, timeStamp: time } = event
    if (isLetter(event)) {
      const { text, time: before } = typed.current
      typed.current = { text: (time - before < WORD_MS ? text : '') + key.toLowerCase(), time }
      items[matchingItem(items.map(nameOf), at, typed.current.text)]?.focus()
    } else {
      const target = { ArrowDown: at + 1, ArrowUp: at < 0 ? items.length - 1 : at - 1, Home: 0, End: items.length - 1 }
      if (key !== 'Tab' && !Object.hasOwn(target, key)) return
      items[target[key as keyof typeof target]]?.focus()
    }
    // A letter is no shortcut of the page here, and Tab does not leave the menu.
    event.preventDefault()
    event.stopPropagation()
  }

  return (
    <Floating
      trigger={trigger}
      role="menu"
      align={align}
      gap={4}
      className="min-w-44 p-1"
      onOpen={focusItem}
      onKeyDown={onKeyDown}
    >
      {children}
    </Floating>
  )
}

export function MenuItem({
  onSelect,
  danger = false,
  disabled = false,
  checked,
  children,
}: {
  onSelect(): void
  readonly danger?: boolean
  readonly disabled?: boolean
  /** Marks the current one of several choices. */
  readonly checked?: boolean
  readonly children: ReactNode
}): ReactNode {
  return (
    <button
      type="button"
      role="menuitem"
      tabIndex={-1}
      disabled={disabled}
      aria-current={checked ? 'true' : undefined}
      className={`flex w-full cursor-pointer items-center gap-2 rounded px-2 py-1.5 text-start outline-none focus:bg-sunken disabled:opacity-50 ${danger ? 'text-bad' : ''} ${checked ? 'font-semibold' : ''}`}
      onClick={({ currentTarget }: MouseEvent) => {
        // First, so that a dialog that it opens gives the focus back to the button of the menu.
        closeFloating(currentTarget)
        onSelect()
      }}
      onPointerMove={({ currentTarget, pointerType }: PointerEvent<HTMLElement>) =>
        pointerType === 'mouse' && currentTarget.focus({ preventScroll: true })
      }
      onPointerLeave={({ currentTarget }) => currentTarget.closest<HTMLElement>('[role=menu]')?.focus()}
    >
      {children}
    </button>
  )
}

export function MenuSeparator(): ReactNode {
  return <div role="separator" className="my-1 h-px bg-line" />
}

/** A menu that was opened by a key begins at an item. */
function focusItem(content: HTMLElement, by: OpenedBy): void {
  const items = itemsOf(content)
  const item = by === 'pointer' ? undefined : items.at(by === 'ArrowUp' ? -1 : 0)
  ;(item ?? content).focus({ preventScroll: true })
}

function itemsOf(menu: Element): readonly HTMLElement[] {
  return [...menu.querySelectorAll<HTMLElement>('[role=menuitem]:not(:disabled)')]
}

function nameOf(item: HTMLElement): string {
  return (item.textContent ?? '').trim().toLowerCase()
}

function isLetter({ key, ctrlKey, metaKey, altKey }: KeyboardEvent): boolean {
  return key.length === 1 && key !== ' ' && !ctrlKey && !metaKey && !altKey
}
