import { type FormEvent, type ReactNode, useState } from 'react'
import type { ApiError } from '../api/client.ts'
import { type ListedSession, type SessionFolders, useResource } from '../api/resources.ts'
import { labelSession } from '../api/session-requests.ts'
import { Button } from '../parts/button.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { TextField } from '../parts/fields.tsx'
import { sessionTitle } from './session-row.tsx'
import { t } from '../language/language.ts'

interface LabelDialogProps {
  readonly what: 'title' | 'folder'
  readonly session: ListedSession
  onClose(): void
}

const texts = {
  title: { heading: t`Rename`, label: t`Title`, hint: t`Empty: the first words of the conversation.` },
  folder: { heading: t`Move to a folder`, label: t`Folder`, hint: t`A new name makes a new folder. Empty: no folder.` },
} as const

export function LabelDialog({ what, session, onClose }: LabelDialogProps): ReactNode {
  const { heading, label, hint } = texts[what]
  const [value, setValue] = useState(session[what] ?? '')
  const [problem, setProblem] = useState<string>()
  const { data } = useResource<SessionFolders>(what === 'folder' ? '/api/session-folders' : undefined)

  const save = async (event: FormEvent): Promise<void> => {
    event.preventDefault()
    const name = value.trim() === '' ? null : value
    try {
      await labelSession(session.id, what === 'title' ? { title: name } : { folder: name })
      onClose()
    } catch (failed) {
      setProblem((failed as ApiError).message)
    }
  }
  return (
    <Dialog title={heading} onClose={onClose}>
      <form className="flex flex-col gap-4" onSubmit={(event) => void save(event)}>
        <p className="truncate text-sm text-soft">{sessionTitle(session)}</p>
        <TextField
          // The dialog of the browser gives the focus to the field with this attribute.
          ref={(field) => field?.setAttribute('autofocus', '')}
          label={label}
          hint={hint}
          problem={problem}
          value={value}
          maxLength={500}
          list={what === 'folder' ? 'session-folders' : undefined}
          onChange={(event) => setValue(event.target.value)}
        />
        {data && (
          <datalist id="session-folders">
            {data.folders.map(({ folder }) => (
              <option key={folder} value={folder} />
            ))}
          </datalist>
        )}
        <div className="flex justify-end gap-2">
          <Button look="plain" onClick={onClose}>
            {t`Cancel`}
          </Button>
          <Button type="submit">{t`Save`}</Button>
        </div>
      </form>
    </Dialog>
  )
}
