import { type KeyboardEvent, type ReactNode, useState } from 'react'
import { sendAfter } from '../api/branches.ts'
import type { ApiError } from '../api/client.ts'
import { Button } from '../parts/button.tsx'
import { ErrorNote } from '../parts/error-note.tsx'
import type { Turn } from './conversation.ts'
import { focusMessage } from '../parts/focus-message.ts'

interface EditTurnProps {
  readonly session: string
  readonly turn: Turn
  onClose(): void
}

/** A message in the place where it stands, to be changed and sent again in a branch of its own. */
export function EditTurn({ session, turn, onClose }: EditTurnProps): ReactNode {
  const [text, setText] = useState(turn.text)
  const [sending, setSending] = useState(false)
  const [error, setError] = useState<ApiError>()
  const after = turn.place?.after
  const attachments = turn.attachments.map(({ file }) => file)
  const ready = !sending && after !== undefined && (text.trim() !== '' || attachments.length > 0)

  const send = async (): Promise<void> => {
    if (after === undefined || !ready) return
    setSending(true)
    try {
      await sendAfter(session, after, { text, attachments })
      onClose()
      focusMessage()
    } catch (failed) {
      // The text is kept.
      setError(failed as ApiError)
      setSending(false)
    }
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.nativeEvent.isComposing) return
    if (event.key === 'Escape') onClose()
    if (event.key === 'Enter' && !event.shiftKey) {
      event.preventDefault()
      void send()
    }
  }

  return (
    <div className="flex flex-col gap-2 rounded-2xl bg-sunken p-3">
      <textarea
        aria-label="Edit the message"
        autoFocus
        dir="auto"
        rows={Math.min(12, text.split('\n').length + 1)}
        value={text}
        className="w-full resize-y rounded-lg border border-strong-line bg-ground px-3 py-2"
        onChange={(event) => setText(event.target.value)}
        onKeyDown={onKeyDown}
      />
      {error && <ErrorNote error={error} />}
      <div className="flex flex-wrap items-center justify-end gap-2">
        <p className="mr-auto text-xs text-soft">The earlier message and its answer are kept.</p>
        <Button look="plain" onClick={onClose}>
          Cancel
        </Button>
        <Button disabled={!ready} onClick={() => void send()}>
          Send again
        </Button>
      </div>
    </div>
  )
}
