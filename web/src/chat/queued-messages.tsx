import { Pencil, X } from 'lucide-react'
import { type ClipboardEvent, type ReactNode, useRef, useState } from 'react'
import type { ApiError } from '../api/client.ts'
import { editedElsewhere, editTurn, sendLast, withdrawTurn } from '../api/turns.ts'
import { IconButton, Button } from '../parts/button.tsx'
import { showToast } from '../parts/toasts.tsx'
import type { Turn } from '../log/conversation.ts'
import { focusMessage } from '../parts/focus-message.ts'
import { ErrorNote } from '../parts/error-note.tsx'
import { AttachmentList } from './attachment-list.tsx'
import { EditField } from './edit-field.tsx'
import { useAttachments } from './use-attachments.ts'
import { t } from '../language/language.ts'

interface QueuedMessagesProps {
  readonly session: string
  readonly turns: readonly Turn[]
  /** Puts what was written into the message field. */
  onKeep(text: string, files: readonly string[]): void
}

/** The messages that wait for the running turn, in their order. None of them is read before its turn. */
export function QueuedMessages({ session, turns, onKeep }: QueuedMessagesProps): ReactNode {
  // As it was when the edit began. It stays open when the message begins to be answered: what was written is kept.
  const [edited, setEdited] = useState<Turn>()
  if (turns.length === 0 && edited === undefined) return null
  const begun = edited !== undefined && turns.every(({ id }) => id !== edited.id)
  const first = begun ? 0 : 1
  const close = (): void => {
    setEdited(undefined)
    focusMessage()
  }
  return (
    <section aria-label={t`Messages that wait`} className="rounded-lg border border-line bg-ground text-sm">
      <ol className="max-h-[35vh] divide-y divide-line overflow-y-auto">
        {(begun ? [edited, ...turns] : turns).map((turn, index) =>
          turn.id === edited?.id ? (
            <li key={turn.id}>
              <EditQueued
                session={session}
                turn={edited}
                now={begun ? undefined : turn}
                onClose={close}
                onKeep={onKeep}
              />
            </li>
          ) : (
            <li key={turn.id} className="flex items-center gap-1 ps-3 pe-1">
              <span className="shrink-0 text-xs text-soft">{t`Waits · ${index + first}`}</span>
              <p dir="auto" className="min-w-0 flex-1 truncate px-1" title={turn.text}>
                {turn.text}
                {turn.attachments.length > 0 && (
                  <span className="text-soft"> ({turn.attachments.map(({ name }) => name).join(', ')})</span>
                )}
              </p>
              <IconButton label={t`Edit message ${index + first}`} onClick={() => setEdited(turn)}>
                <Pencil size={14} aria-hidden />
              </IconButton>
              <IconButton
                label={t`Remove message ${index + first}`}
                onClick={() => void takeBack(session, turn).then(() => focusAfter(turns, index))}
              >
                <X size={14} aria-hidden />
              </IconButton>
            </li>
          ),
        )}
      </ol>
    </section>
  )
}

/** Withdraws a message, and offers to undo that. */
async function takeBack(session: string, turn: Turn): Promise<void> {
  const { text } = turn
  const attachments = turn.attachments.map(({ file }) => file)
  const report = (failed: string, { message }: Pick<ApiError, 'message'>): void => {
    showToast({ text: `${failed} ${message}` })
  }
  try {
    if (!(await withdrawTurn(session, turn.id)))
      throw new Error(t`It is being answered already: stop the turn instead.`)
    showToast({
      text: t`The message was taken back.`,
      ms: 10_000,
      action: {
        label: t`Put back`,
        run: () =>
          void sendLast(session, { text, attachments }).catch((error) =>
            report(t`The message was not put back.`, error as Error),
          ),
      },
    })
  } catch (error) {
    report(t`The message was not taken back.`, error as Error)
  }
}

/** The button that had the focus is gone: the next one of its kind gets it, or the message field. */
function focusAfter(turns: readonly Turn[], index: number): void {
  const next = document.querySelector<HTMLElement>(
    `[aria-label="${t`Remove message ${Math.min(index + 1, turns.length - 1)}`}"]`,
  )
  if (next) next.focus()
  else focusMessage()
}

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
function EditQueued({ session, turn, now, onClose, onKeep }: EditQueuedProps): ReactNode {
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
        label={t`Edit the message that waits`}
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
          <p className="text-warn">{t`It was changed elsewhere meanwhile. What you wrote is kept here. It says now:`}</p>
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
          aria-label={t`Files to attach to the message that waits`}
          onChange={({ target }) => {
            attachments.add([...(target.files ?? [])])
            target.value = ''
          }}
        />
        {!begun && (
          <Button look="plain" onClick={() => chooser.current?.click()}>
            {t`Attach files`}
          </Button>
        )}
        <Button look="plain" onClick={onClose}>
          {begun || overtaken ? t`Discard` : t`Cancel`}
        </Button>
        {begun ? (
          <Button disabled={!ready} onClick={keep}>
            {t`Use as the next message`}
          </Button>
        ) : (
          <Button disabled={!ready} onClick={() => void save(overtaken ? other.base : turn.base)}>
            {overtaken ? t`Save mine in its place` : t`Save`}
          </Button>
        )}
      </div>
    </div>
  )
}

const BEGUN = {
  message: t`The message is being answered as it was.`,
  hint: t`What you wrote is kept here. It can become the next message.`,
}
