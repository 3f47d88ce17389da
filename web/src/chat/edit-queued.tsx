import { type ClipboardEvent, type ReactNode, useRef, useState } from 'react'
import type { ApiError } from '../api/client.ts'
import { editedElsewhere, editTurn } from '../api/turns.ts'
import { Button } from '../parts/button.tsx'
import { ErrorNote } from '../parts/error-note.tsx'
import { AttachmentList } from './attachment-list.tsx'
import type { Turn } from './conversation.ts'
import { EditField } from './edit-field.tsx'
import { useAttachments } from './use-attachments.ts'

interface EditQueuedProps {
  readonly session: string
  /** The turn when the edit began. */
  readonly turn: Turn
  /** The turn now; absent once it no longer waits. */
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
  const told = error && editedElsewhere(error)
  const begun = now === undefined || (error?.code === 'changed' && !told)
  // What is saved arrives here too, before the answer.
  const newest = told && now && told.base > now.base ? told : now
  const other = newest && newest.base > turn.base ? newest : undefined
  const overtaken = !saving && !begun && other !== undefined
  const ready = !saving && !uploads && (text.trim() !== '' || files.length > 0)

  const save = async (base: number): Promise<void> => {
    if (!ready || begun) return
    setSaving(true)
    setError(undefined)
    try {
      await editTurn(session, turn.id, { text, attachments: files, base })
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
  const onPaste = (event: ClipboardEvent): void => {
    const given = [...event.clipboardData.files]
    if (given.length === 0 || event.clipboardData.getData('text/plain') !== '') return
    event.preventDefault()
    attachments.add(given)
  }

  return (
    <div className="flex flex-col gap-2 p-2">
      <EditField
        label="Edit the message that waits"
        text={text}
        mostRows={8}
        onText={setText}
        // Never in the place of words that were not read: only the button does that.
        onSave={() => void save(turn.base)}
        // What was written is not lost by one key.
        onEscape={() => text === turn.text && onClose()}
        onPaste={onPaste}
      />
      <AttachmentList items={attachments.items} onRemove={attachments.remove} />
      {begun && <ErrorNote error={BEGUN} />}
      {!begun && error && !told && <ErrorNote error={error} />}
      {overtaken && (
        <div role="status" className="rounded-lg border border-warn px-3 py-2 text-sm">
          <p className="text-warn">It was changed elsewhere meanwhile. What you wrote is kept here. It says now:</p>
          <p dir="auto" className="max-h-[20vh] overflow-y-auto whitespace-pre-wrap">
            {other.text}
            {other === now && now.attachments.length > 0 && (
              <span className="text-soft"> ({now.attachments.map(({ name }) => name).join(', ')})</span>
            )}
          </p>
        </div>
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
          {begun || overtaken ? 'Discard' : 'Cancel'}
        </Button>
        {begun ? (
          <Button disabled={!ready} onClick={keep}>
            Use as the next message
          </Button>
        ) : (
          <Button disabled={!ready} onClick={() => void save(overtaken ? other.base : turn.base)}>
            {overtaken ? 'Save mine in its place' : 'Save'}
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
