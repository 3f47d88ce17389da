import type { FocusEvent, ReactNode } from 'react'
import { closeFloating, Floating, type Trigger } from './floating.tsx'

interface PopoverProps {
  readonly trigger: Trigger
  /** Its name for screen readers. */
  readonly label: string
  /** 32 rem wide, and beginning where its button does; otherwise 20 rem, and centred on it. */
  readonly wide?: boolean
  readonly children: ReactNode
}

/** A small window beside its button. It closes when the focus goes elsewhere. */
export function Popover({ trigger, label, wide = false, children }: PopoverProps): ReactNode {
  return (
    <Floating
      trigger={trigger}
      role="dialog"
      label={label}
      align={wide ? 'start' : 'center'}
      gap={6}
      className={`p-3 ${wide ? 'w-[32rem]' : 'w-80'}`}
      onOpen={focusFirst}
      onBlur={closeBehindFocus}
    >
      {children}
    </Floating>
  )
}

const focusable = ':is(a[href], button, input, select, textarea, summary, [tabindex]):not(:disabled, [tabindex="-1"])'

function focusFirst(content: HTMLElement): void {
  ;(content.querySelector<HTMLElement>(focusable) ?? content).focus({ preventScroll: true })
}

function closeBehindFocus({ currentTarget, relatedTarget }: FocusEvent<HTMLElement>): void {
  const isInside = relatedTarget === null || currentTarget.contains(relatedTarget)
  const isTrigger = relatedTarget?.getAttribute('aria-controls') === currentTarget.id
  if (!isInside && !isTrigger) closeFloating(currentTarget)
}
