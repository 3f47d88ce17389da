import { BookMarked } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { templateFields } from '../../../src/capabilities/templates/template-fields.ts'
import { useCaller, useMayKeepRecords } from '../api/caller.ts'
import { useResource } from '../api/resources.ts'
import { type TemplateList, TEMPLATES } from '../api/templates.ts'
import { late } from '../parts/late.tsx'
import { focusMessage } from '../parts/focus-message.ts'
import { IconButton } from '../parts/button.tsx'
import { Popover } from '../parts/popover.tsx'
import { t } from '../language/language.ts'
import type { HeldDraft } from './use-draft.ts'

const TemplateForm = late(() => import('./template-form.tsx'))
const TemplatePicker = late(() => import('./template-picker.tsx'))

/** A template whose fields are being filled in. */
export interface OpenTemplate {
  readonly name: string
  readonly text: string
  /** For its first field. */
  readonly argument: string
}

export interface TemplateInsertion {
  readonly open: OpenTemplate | undefined
  /** Puts the text into the message field, after its fields were filled in. */
  begin(template: OpenTemplate): void
  /** Puts a text in the place of the line that called for it, or below what is written. */
  finish(name: string, text: string): void
  cancel(): void
}

export function useTemplate({ change, current }: HeldDraft): TemplateInsertion {
  const [open, setOpen] = useState<OpenTemplate>()
  const finish = (name: string, text: string): void => {
    const before = current().text
    const isCalled = before === `/${name}` || before.startsWith(`/${name} `)
    change({ text: isCalled || before.trim() === '' ? text : `${before}\n\n${text}` })
    setOpen(undefined)
    focusMessage()
  }
  return {
    open,
    begin(template) {
      const { name, text, argument } = template
      if (templateFields(text).length > 0) return setOpen(template)
      finish(name, argument === '' ? text : `${text}\n\n${argument}`)
    },
    finish,
    cancel() {
      setOpen(undefined)
      focusMessage()
    },
  }
}

/** In the message field: the list of templates, for those who have some or can make one. */
export function TemplateButton({
  draft,
  insertion,
}: {
  readonly draft: string
  readonly insertion: TemplateInsertion
}): ReactNode {
  const keeps = useMayKeepRecords()
  const isKnown = useCaller() !== undefined
  // Who can make one may have the list later: it is read when it is asked for.
  const { data } = useResource<TemplateList>(isKnown && !keeps ? TEMPLATES : undefined)
  if (!keeps && (data?.templates.length ?? 0) === 0) return null
  return (
    <Popover
      label={t`Templates`}
      trigger={
        <IconButton label={t`Templates`} className="rounded-full">
          <BookMarked size={15} aria-hidden />
        </IconButton>
      }
    >
      <TemplatePicker draft={draft} onChoose={insertion.begin} />
    </Popover>
  )
}

/** The fields of the template that was chosen. */
export function ChosenTemplate({
  insertion: { open, finish, cancel },
}: {
  readonly insertion: TemplateInsertion
}): ReactNode {
  if (open === undefined) return null
  return <TemplateForm key={open.name} template={open} finish={finish} cancel={cancel} />
}
