import { ArrowUp, Square } from 'lucide-react'
import { type KeyboardEvent, type ReactNode, useEffect, useRef } from 'react'
import { IconButton } from '../parts/icon-button.tsx'

interface ComposerProps {
  readonly draft: string
  onChange(draft: string): void
  onSend(): Promise<void>
  /** Present while a turn runs. */
  readonly onStop: (() => Promise<void>) | undefined
}

/** The field for the next message. Enter sends, Shift+Enter begins a line, Escape stops the running turn. */
export function Composer({ draft, onChange, onSend, onStop }: ComposerProps): ReactNode {
  const field = useRef<HTMLTextAreaElement>(null)
  useEffect(() => fitHeight(field.current), [draft])
  const blank = draft.trim() === ''

  const onKeyDown = (event: KeyboardEvent): void => {
    // An input method uses Enter to accept a word.
    if (event.nativeEvent.isComposing) return
    if (event.key === 'Enter' && !event.shiftKey && !blank) {
      event.preventDefault()
      void onSend()
    }
    if (event.key === 'Escape' && onStop) void onStop()
  }

  return (
    <div className="flex items-end gap-1 rounded-xl border border-strong-line bg-ground p-1.5">
      <label htmlFor="message" className="sr-only">
        Message
      </label>
      <textarea
        ref={field}
        id="message"
        rows={1}
        dir="auto"
        value={draft}
        placeholder="Message"
        className="max-h-[40vh] min-h-8 min-w-0 flex-1 resize-none bg-transparent px-2 py-1 outline-none placeholder:text-soft"
        onChange={(event) => onChange(event.target.value)}
        onKeyDown={onKeyDown}
      />
      {onStop && (
        <IconButton label="Stop" onClick={() => void onStop()}>
          <Square size={16} aria-hidden />
        </IconButton>
      )}
      <IconButton
        label="Send"
        disabled={blank}
        className="bg-accent text-accent-ink hover:bg-accent hover:text-accent-ink"
        onClick={() => void onSend()}
      >
        <ArrowUp size={16} aria-hidden />
      </IconButton>
    </div>
  )
}

function fitHeight(field: HTMLTextAreaElement | null): void {
  if (field === null) return
  field.style.height = 'auto'
  field.style.height = `${field.scrollHeight}px`
}
