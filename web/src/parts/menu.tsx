import { DropdownMenu } from 'radix-ui'
import type { ReactNode } from 'react'

interface MenuProps {
  /** The button that opens it. */
  readonly trigger: ReactNode
  readonly children: ReactNode
  readonly align?: 'start' | 'end'
}

/**
 * A menu below its button, with `MenuItem`s. It is not modal: the modal form adds a style element, which the
 * Content-Security-Policy of the page refuses.
 */
export function Menu({ trigger, children, align = 'end' }: MenuProps): ReactNode {
  return (
    <DropdownMenu.Root modal={false}>
      <DropdownMenu.Trigger asChild>{trigger}</DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content
          align={align}
          sideOffset={4}
          collisionPadding={8}
          className="z-50 max-h-[60vh] max-w-[90vw] min-w-44 overflow-y-auto rounded-lg border border-line bg-raised p-1 text-sm shadow-lg"
        >
          {children}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
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
    <DropdownMenu.Item
      disabled={disabled}
      onSelect={onSelect}
      aria-current={checked ? 'true' : undefined}
      className={`flex cursor-pointer items-center gap-2 rounded px-2 py-1.5 outline-none data-disabled:opacity-50 data-highlighted:bg-sunken ${danger ? 'text-bad' : ''} ${checked ? 'font-semibold' : ''}`}
    >
      {children}
    </DropdownMenu.Item>
  )
}

export function MenuSeparator(): ReactNode {
  return <DropdownMenu.Separator className="my-1 h-px bg-line" />
}
