import { type ReactNode, useState } from 'react'
import { useSWRConfig } from 'swr'
import { api } from '../api/client.ts'
import { TEMPLATES } from '../api/templates.ts'
import { Button } from '../parts/button.tsx'
import { ErrorNote } from '../parts/error-note.tsx'
import { TextField } from '../parts/fields.tsx'
import { showToast } from '../parts/toasts.tsx'
import { useAction } from '../parts/use-action.ts'
import { t } from '../language/language.ts'

interface SaveTemplateProps {
  readonly text: string
  /** Its field gets the focus at once. */
  readonly autoFocus?: boolean
  onSaved(): void
}

/** Saves a message as a template, under a name. */
export default function SaveTemplate({ text, autoFocus, onSaved }: SaveTemplateProps): ReactNode {
  const [name, setName] = useState('')
  const { busy, error, act } = useAction()
  const { mutate } = useSWRConfig()
  const save = async (): Promise<void> => {
    await api(TEMPLATES, { method: 'POST', body: { name, text } })
    await mutate(TEMPLATES)
    onSaved()
    showToast({ text: t`Saved. Type /${name.trim()} to insert it.` })
  }
  return (
    <form
      aria-label={t`Save the message`}
      className="flex flex-col gap-2"
      onSubmit={(event) => {
        event.preventDefault()
        void act(save)
      }}
    >
      <TextField
        label={t`Save this message as`}
        required
        autoFocus={autoFocus}
        maxLength={40}
        autoComplete="off"
        hint={t`One word. {{topic}} in the message is a field.`}
        value={name}
        onChange={({ target }) => setName(target.value)}
      />
      {error && <ErrorNote error={error} />}
      <Button type="submit" disabled={busy}>
        {t`Save`}
      </Button>
    </form>
  )
}
