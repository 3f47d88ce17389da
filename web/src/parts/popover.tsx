import { Popover as RadixPopover } from 'radix-ui'
import type { ReactNode } from 'react'

interface PopoverProps {
  readonly trigger: ReactNode
  /** Its name for screen readers. */
  readonly label: string
  readonly children: ReactNode
}

/** A small window beside its button. */
export function Popover({ trigger, label, children }: PopoverProps): ReactNode {
  return (
    <RadixPopover.Root>
      <RadixPopover.Trigger asChild>{trigger}</RadixPopover.Trigger>
      <RadixPopover.Portal>
        <RadixPopover.Content
          aria-label={label}
          sideOffset={6}
          collisionPadding={8}
          className="z-50 max-h-[60vh] w-80 max-w-[90vw] overflow-y-auto rounded-lg border border-line bg-raised p-3 text-sm shadow-lg"
        >
          {children}
        </RadixPopover.Content>
      </RadixPopover.Portal>
    </RadixPopover.Root>
  )
}
