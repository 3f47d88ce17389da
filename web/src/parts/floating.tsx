import {
  cloneElement,
  type ComponentProps,
  type FocusEvent,
  type KeyboardEvent,
  type ReactElement,
  type ReactNode,
  useId,
  useLayoutEffect,
  useRef,
  useState,
} from 'react'
import { createPortal } from 'react-dom'

export type Trigger = ReactElement<ComponentProps<'button'>>

/** How a window was opened: what gets the focus depends on it. */
export type OpenedBy = 'pointer' | 'keyboard' | 'ArrowDown' | 'ArrowUp'

interface FloatingProps {
  readonly trigger: Trigger
  readonly role: 'menu' | 'dialog'
  /** Its name for screen readers; absent: that of the button. */
  readonly label?: string
  readonly align: Align
  /** Between the button and the window, px. */
  readonly gap: number
  readonly className: string
  readonly children: ReactNode
  /** Puts the focus where it belongs in the window that has just opened. */
  onOpen(content: HTMLElement, by: OpenedBy): void
  onKeyDown?(event: KeyboardEvent<HTMLElement>): void
  onBlur?(event: FocusEvent<HTMLElement>): void
}

/**
 * A window over the page, beside its button: a popover of the browser, which is above everything, goes with Escape or a click
 * elsewhere, and gives the focus back. What is in it exists while it is open.
 */
export function Floating({ trigger, label, align, gap, className, onOpen, ...rest }: FloatingProps): ReactNode {
  const { role } = rest
  const id = useId()
  const button = useRef<HTMLButtonElement>(null)
  const content = useRef<HTMLDivElement>(null)
  const [open, setOpen] = useState<{ readonly by: OpenedBy; readonly into: Element }>()

  const show = (by: OpenedBy): void => {
    // The popover gives the focus back to what has it now. Inside a dialog, everything outside of it is inert.
    button.current!.focus()
    setOpen({ by, into: button.current!.closest('dialog, [popover]') ?? document.body })
  }

  useLayoutEffect(() => {
    const [element, beside] = [content.current, button.current]
    if (!open || !element || !beside) return undefined
    const place = (): void => placeBeside(element, beside, { align, gap })
    // A click on the button then closes it,
    beside.popoverTargetElement = element
    // and Tab goes from the button into it and back.
    element.showPopover({ source: beside })
    place()
    onOpen(element, open.by)
    const sizes = new ResizeObserver(place)
    sizes.observe(element)
    globalThis.addEventListener('resize', place)
    globalThis.addEventListener('scroll', place, true)
    return () => {
      sizes.disconnect()
      globalThis.removeEventListener('resize', place)
      globalThis.removeEventListener('scroll', place, true)
      beside.popoverTargetElement = null
      element.hidePopover()
    }
  }, [open])

  const { props } = trigger
  const triggerId = props.id ?? `${id}-button`
  return (
    <>
      {cloneElement(trigger, {
        ref: button,
        id: triggerId,
        'aria-haspopup': role,
        'aria-expanded': open !== undefined,
        'aria-controls': open && id,
        onClick: (event) => {
          props.onClick?.(event)
          if (isShown(content.current) || event.defaultPrevented) return
          // The button of an open popover closes it, and this one is about to be open.
          event.preventDefault()
          show(event.detail === 0 ? 'keyboard' : 'pointer')
        },
        onKeyDown: (event) => {
          props.onKeyDown?.(event)
          if (role !== 'menu' || (event.key !== 'ArrowDown' && event.key !== 'ArrowUp')) return
          event.preventDefault()
          show(event.key)
        },
      })}
      {open &&
        createPortal(
          <div
            {...rest}
            ref={content}
            id={id}
            popover="auto"
            tabIndex={-1}
            aria-label={label}
            aria-labelledby={label === undefined ? triggerId : undefined}
            className={`fixed inset-auto m-0 max-w-[90vw] overflow-y-auto rounded-lg border border-line bg-raised text-sm text-ink shadow-lg outline-none ${className}`}
            onToggle={({ newState }) => newState === 'closed' && setOpen(undefined)}
          />,
          open.into,
        )}
    </>
  )
}

/** The browser tells a little later that it has closed a popover. */
function isShown(element: Element | null): boolean {
  return element?.matches(':popover-open') ?? false
}

/** Closes the window that an element is in. The focus goes back to its button. */
export function closeFloating(element: Element): void {
  element.closest<HTMLElement>('[popover]')?.hidePopover()
}

/** The edge of a button that a window keeps to. */
type Align = 'start' | 'center' | 'end'

/** Between a window and the edge of the page, px. */
const EDGE = 8
/** The most of the height of the page that a window takes. */
const MOST = 0.6

/**
 * Puts a `position: fixed` element below a button, or above it where there is not enough room below and more above. It stays
 * inside the page, and what does not fit scrolls in it. `gap` is the distance to the button, px.
 */
function placeBeside(element: HTMLElement, button: Element, { align, gap }: { align: Align; gap: number }): void {
  const { clientWidth: width, clientHeight: height } = document.documentElement
  const { top, bottom, left, right } = button.getBoundingClientRect()
  const { offsetWidth, offsetHeight, clientHeight, scrollHeight, style } = element
  const wanted = Math.min(scrollHeight + offsetHeight - clientHeight, height * MOST)
  const [above, below] = [top - gap - EDGE, height - bottom - gap - EDGE]
  const isBelow = wanted <= below || below >= above
  style.top = isBelow ? `${bottom + gap}px` : 'auto'
  style.bottom = isBelow ? 'auto' : `${height - top + gap}px`
  style.maxHeight = `${Math.min(height * MOST, isBelow ? below : above)}px`
  const x = { start: left, center: (left + right - offsetWidth) / 2, end: right - offsetWidth }[align]
  style.left = `${Math.max(EDGE, Math.min(x, width - offsetWidth - EDGE))}px`
}
