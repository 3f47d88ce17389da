import type { ReactNode } from 'react'
import { Button } from './button.tsx'
import { t } from '../language/language.ts'

interface ConfirmationProps {
  /** What follows from it. */
  readonly children: ReactNode
  /** What the button does. */
  readonly action: string
  readonly busy: boolean
  onConfirm(): void
  onCancel(): void
}

/** The second question before something that cannot be taken back. */
export function Confirmation({ children, action, busy, onConfirm, onCancel }: ConfirmationProps): ReactNode {
  return (
    <div className="flex flex-col gap-3 rounded-lg border border-warn px-3 py-2">
      <p>{children}</p>
      <div className="flex flex-wrap gap-2">
        <Button look="plain" onClick={onCancel}>
          {t`Cancel`}
        </Button>
        <Button look="danger" disabled={busy} onClick={onConfirm}>
          {action}
        </Button>
      </div>
    </div>
  )
}
