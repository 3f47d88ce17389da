import { type ReactNode, useRef, useState } from 'react'
import { useSWRConfig } from 'swr'
import { api } from '../api/client.ts'
import { firstLine, TEMPLATES, useTemplates } from '../api/templates.ts'
import { Button } from '../parts/button.tsx'
import { ErrorNote } from '../parts/error-note.tsx'
import { TextField } from '../parts/fields.tsx'
import { closeFloating } from '../parts/floating.tsx'
import { focusMessage } from '../parts/focus-message.ts'
import { Spinner } from '../parts/spinner.tsx'
import { showToast } from '../parts/toasts.tsx'
import { useAction } from '../parts/use-action.ts'
import { t } from '../language/language.ts'
import { rich } from '../language/rich.ts'
import type { OpenTemplate } from './template-insertion.tsx'

interface TemplatePickerProps {
  /** What is in the message field. */
  readonly draft: string
  onChoose(template: OpenTemplate): void
}

/** The saved messages to insert, and the one in the field to save. */
export default function TemplatePicker({ draft, onChoose }: TemplatePickerProps): ReactNode {
  const templates = useTemplates()
  const box = useRef<HTMLDivElement>(null)
  const close = (): void => closeFloating(box.current!)
  return (
    <div ref={box} className="flex flex-col gap-2">
      {templates === undefined && <Spinner />}
      {templates?.length === 0 && (
        <p className="text-soft">
          {rich`A template is a message that you save, with fields such as ${<code>{'{{topic}}'}</code>}. There is none yet.`}
        </p>
      )}
      {templates !== undefined && templates.length > 0 && (
        <ul aria-label={t`Templates`} className="flex flex-col">
          {templates.map(({ id, value: { name, text } }) => (
            <li key={id}>
              <button
                type="button"
                className="block w-full rounded-lg px-2 py-1.5 text-start hover:bg-line"
                onClick={() => {
                  close()
                  focusMessage()
                  onChoose({ name, text, argument: '' })
                }}
              >
                <bdi className="block font-medium wrap-anywhere">{name}</bdi>
                <bdi className="block text-xs text-soft wrap-anywhere">{firstLine(text)}</bdi>
              </button>
            </li>
          ))}
        </ul>
      )}
      {draft.trim() !== '' && !draft.startsWith('/') && <SaveForm text={draft} onSaved={close} />}
      <a href="/settings/templates" className="text-xs text-accent underline underline-offset-2">
        {t`Edit templates`}
      </a>
    </div>
  )
}

function SaveForm({ text, onSaved }: { readonly text: string; onSaved(): void }): ReactNode {
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
      className="flex flex-col gap-2 border-t border-line pt-2"
      onSubmit={(event) => {
        event.preventDefault()
        void act(save)
      }}
    >
      <TextField
        label={t`Save this message as`}
        required
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
