import type { ClipboardEvent, KeyboardEvent, ReactNode } from 'react'

interface EditFieldProps {
  /** For screen readers. */
  readonly label: string
  readonly text: string
  /** The most lines that are shown without scrolling. */
  readonly mostRows: number
  onText(text: string): void
  /** Enter without Shift. */
  onSave(): void
  onEscape(): void
  onPaste?(event: ClipboardEvent): void
}

export function EditField({ label, text, mostRows, onText, onSave, onEscape, onPaste }: EditFieldProps): ReactNode {
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.nativeEvent.isComposing) return
    if (event.key === 'Escape') onEscape()
    if (event.key === 'Enter' && !event.shiftKey) {
      event.preventDefault()
      onSave()
    }
  }
  return (
    <textarea
      aria-label={label}
      autoFocus
      dir="auto"
      rows={Math.min(mostRows, text.split('\n').length + 1)}
      value={text}
      className="w-full resize-y rounded-lg border border-strong-line bg-ground px-3 py-2"
      onChange={(event) => onText(event.target.value)}
      onKeyDown={onKeyDown}
      onPaste={onPaste}
    />
  )
}
