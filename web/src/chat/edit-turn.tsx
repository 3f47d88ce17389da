import { type ReactNode, useState } from 'react'
import { sendAfter } from '../api/session-requests.ts'
import type { ApiError } from '../api/client.ts'
import { Button } from '../parts/button.tsx'
import { ErrorNote } from '../parts/error-note.tsx'
import type { Turn } from '../log/conversation.ts'
import { EditField } from './edit-field.tsx'
import { focusMessage } from '../parts/focus-message.ts'
import { t } from '../language/language.ts'

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

  return (
    <div className="flex flex-col gap-2 rounded-2xl bg-sunken p-3">
      <EditField
        label={t`Edit the message`}
        text={text}
        mostRows={12}
        onText={setText}
        onSave={() => void send()}
        onEscape={onClose}
      />
      {error && <ErrorNote error={error} />}
      <div className="flex flex-wrap items-center justify-end gap-2">
        <p className="mr-auto text-xs text-soft">{t`The earlier message and its answer are kept.`}</p>
        <Button look="plain" onClick={onClose}>
          {t`Cancel`}
        </Button>
        <Button disabled={!ready} onClick={() => void send()}>
          {t`Send again`}
        </Button>
      </div>
    </div>
  )
}
