import { X } from 'lucide-react'
import { type ReactNode, useLayoutEffect, useRef } from 'react'
import { IconButton, Button } from './button.tsx'
import { t } from '../language/language.ts'

interface DialogProps {
  readonly title: string
  /** Called for Escape, the close button, and a click beside the dialog. */
  onClose(): void
  readonly wide?: boolean
  readonly children: ReactNode
}

/** A modal dialog of the browser: it keeps the focus, closes with Escape, and gives the focus back. Shown while it is mounted. */
export function Dialog({ title, onClose, wide = false, children }: DialogProps): ReactNode {
  const dialog = useRef<HTMLDialogElement>(null)
  /** A press that begins in the dialog may end beside it, because what was pressed changed the dialog. */
  const pressedBeside = useRef(false)
  // Closed before it is removed: a dialog that is only removed does not give the focus back.
  useLayoutEffect(() => {
    const element = dialog.current!
    element.showModal()
    return () => element.close()
  }, [])
  return (
    <dialog
      ref={dialog}
      aria-label={title}
      className={`m-auto max-h-[90dvh] w-full rounded-xl border border-line bg-raised p-0 text-ink shadow-2xl backdrop:bg-black/50 ${wide ? 'max-w-5xl' : 'max-w-lg'}`}
      onCancel={(event) => {
        event.preventDefault()
        onClose()
      }}
      onPointerDown={(event) => {
        pressedBeside.current = event.target === dialog.current
      }}
      onClick={(event) => {
        if (event.target === dialog.current && pressedBeside.current) onClose()
      }}
    >
      <div className="flex items-center justify-between gap-2 border-b border-line py-2 ps-4 pe-2">
        <h2 className="font-semibold">{title}</h2>
        <IconButton label={t`Close`} onClick={onClose}>
          <X size={16} aria-hidden />
        </IconButton>
      </div>
      <div className="p-4">{children}</div>
    </dialog>
  )
}

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
