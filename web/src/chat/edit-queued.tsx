import { type ClipboardEvent, type KeyboardEvent, type ReactNode, useRef, useState } from 'react'
import type { ApiError } from '../api/client.ts'
import { editTurn } from '../api/turns.ts'
import { Button } from '../parts/button.tsx'
import { ErrorNote } from '../parts/error-note.tsx'
import { AttachmentList } from './attachment-list.tsx'
import type { Turn } from './conversation.ts'
import { useAttachments } from './use-attachments.ts'

interface EditQueuedProps {
  readonly session: string
  /** As it was when the edit began. */
  readonly turn: Turn
  /** As it is now; absent where it does not wait any more. */
  readonly now: Turn | undefined
  onClose(): void
  /** Puts what was written into the message field. */
  onKeep(text: string, files: readonly string[]): void
}

/** A message that waits, changed in its place. Where it has begun meanwhile, what was written can become the next message. */
export function EditQueued({ session, turn, now, onClose, onKeep }: EditQueuedProps): ReactNode {
  const [text, setText] = useState(turn.text)
  const [saving, setSaving] = useState(false)
  const [error, setError] = useState<ApiError>()
  const attachments = useAttachments(turn.attachments.map(({ file }) => file))
  const chooser = useRef<HTMLInputElement>(null)
  const files = attachments.items.flatMap(({ file, state }) =>
    file === undefined || state.type === 'failed' ? [] : [file],
  )
  const uploads = attachments.items.some(({ state }) => state.type === 'uploading')
  const begun = now === undefined || error?.code === 'changed'
  const ready = !saving && !uploads && (text.trim() !== '' || files.length > 0)

  const save = async (): Promise<void> => {
    if (!ready || begun) return
    setSaving(true)
    try {
      await editTurn(session, turn.id, { text, attachments: files })
      onClose()
    } catch (failed) {
      setError(failed as ApiError)
      setSaving(false)
    }
  }
  const keep = (): void => {
    onClose()
    onKeep(text, files)
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.nativeEvent.isComposing) return
    // What was written is not lost by one key.
    if (event.key === 'Escape' && text === turn.text) onClose()
    if (event.key === 'Enter' && !event.shiftKey) {
      event.preventDefault()
      void save()
    }
  }
  const onPaste = (event: ClipboardEvent): void => {
    const given = [...event.clipboardData.files]
    if (given.length === 0 || event.clipboardData.getData('text/plain') !== '') return
    event.preventDefault()
    attachments.add(given)
  }

  return (
    <div className="flex flex-col gap-2 p-2">
      <textarea
        aria-label="Edit the message that waits"
        autoFocus
        dir="auto"
        rows={Math.min(8, text.split('\n').length + 1)}
        value={text}
        className="w-full resize-y rounded-lg border border-strong-line bg-ground px-3 py-2"
        onChange={(event) => setText(event.target.value)}
        onKeyDown={onKeyDown}
        onPaste={onPaste}
      />
      <AttachmentList items={attachments.items} onRemove={attachments.remove} />
      {begun && <ErrorNote error={BEGUN} />}
      {!begun && error && <ErrorNote error={error} />}
      {now && now.text !== turn.text && now.text !== text && (
        <p role="status" className="text-sm text-warn">
          It was changed elsewhere meanwhile. Saving takes the place of: <bdi>{now.text}</bdi>
        </p>
      )}
      <div className="flex flex-wrap justify-end gap-2">
        <input
          ref={chooser}
          type="file"
          multiple
          hidden
          aria-label="Files to attach to the message that waits"
          onChange={({ target }) => {
            attachments.add([...(target.files ?? [])])
            target.value = ''
          }}
        />
        {!begun && (
          <Button look="plain" onClick={() => chooser.current?.click()}>
            Attach files
          </Button>
        )}
        <Button look="plain" onClick={onClose}>
          {begun ? 'Discard' : 'Cancel'}
        </Button>
        {begun ? (
          <Button disabled={!ready} onClick={keep}>
            Use as the next message
          </Button>
        ) : (
          <Button disabled={!ready} onClick={() => void save()}>
            Save
          </Button>
        )}
      </div>
    </div>
  )
}

const BEGUN = {
  message: 'The message is being answered as it was.',
  hint: 'What you wrote is kept here. It can become the next message.',
}
