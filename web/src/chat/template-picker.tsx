import { type ReactNode, useRef } from 'react'
import { useMayKeepRecords } from '../api/caller.ts'
import { firstLine, useTemplates } from '../api/templates.ts'
import { closeFloating } from '../parts/floating.tsx'
import { focusMessage } from '../parts/focus-message.ts'
import { Spinner } from '../parts/spinner.tsx'
import { t } from '../language/language.ts'
import { rich } from '../language/rich.ts'
import SaveTemplate from './save-template.tsx'
import type { OpenTemplate } from './template-insertion.tsx'

interface TemplatePickerProps {
  /** What is in the message field. */
  readonly draft: string
  onChoose(template: OpenTemplate): void
}

/** The saved messages to insert, and the one in the field to save. */
export default function TemplatePicker({ draft, onChoose }: TemplatePickerProps): ReactNode {
  const templates = useTemplates()
  const keeps = useMayKeepRecords()
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
      {templates !== undefined && keeps && draft.trim() !== '' && !draft.startsWith('/') && (
        <div className="border-t border-line pt-2">
          {/* With no template to choose, the name is all that there is to write. */}
          <SaveTemplate text={draft} autoFocus={templates?.length === 0} onSaved={close} />
        </div>
      )}
      {keeps && (
        <a href="/settings/templates" className="text-xs text-accent underline underline-offset-2">
          {t`Edit templates`}
        </a>
      )}
    </div>
  )
}
