import { type KeyboardEvent, type ReactNode, useState } from 'react'
import { fillTemplate, templateFields } from '../../../src/capabilities/templates/template-fields.ts'
import { Button } from '../parts/button.tsx'
import { Select, TextArea } from '../parts/fields.tsx'
import { t } from '../language/language.ts'
import type { TemplateInsertion } from './template-insertion.tsx'

type TemplateFormProps = Pick<TemplateInsertion, 'finish' | 'cancel'> & {
  readonly template: NonNullable<TemplateInsertion['open']>
}

/** The fields of a template, above the message field: Tab goes through them, Enter inserts the message, Escape closes them. */
export default function TemplateForm({
  template: { name, text, argument },
  finish,
  cancel,
}: TemplateFormProps): ReactNode {
  const fields = templateFields(text)
  const [values, setValues] = useState<Readonly<Record<string, string>>>(() =>
    Object.fromEntries(
      fields.map(({ name: field, options = [''] }, index) => [field, (index === 0 && argument) || options[0]!]),
    ),
  )
  const insert = (): void => finish(name, fillTemplate(text, values))
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.nativeEvent.isComposing) return
    const isLine = event.key === 'Enter' && !event.shiftKey && event.target instanceof HTMLTextAreaElement
    if (!isLine && event.key !== 'Escape') return
    event.preventDefault()
    event.stopPropagation()
    if (isLine) insert()
    else cancel()
  }
  return (
    <form
      aria-label={t`Fields of ${name}`}
      className="flex flex-col gap-2 rounded-lg border border-line bg-ground p-3"
      onKeyDown={onKeyDown}
      onSubmit={(event) => {
        event.preventDefault()
        insert()
      }}
    >
      {fields.map(({ name: field, options = [] }, index) => {
        const shared = {
          label: field,
          value: values[field]!,
          ref: index === 0 ? focusFirst : undefined,
          onChange: ({ target }: { readonly target: { readonly value: string } }) =>
            setValues((before) => ({ ...before, [field]: target.value })),
        }
        return options.length > 1 ? (
          <Select key={field} {...shared} options={options.map((value) => ({ value, title: value }))} />
        ) : (
          <TextArea key={field} {...shared} rows={1} />
        )
      })}
      <div className="flex flex-wrap gap-2">
        <Button type="submit">{t`Insert`}</Button>
        <Button look="plain" onClick={cancel}>
          {t`Cancel`}
        </Button>
      </div>
    </form>
  )
}

function focusFirst(element: HTMLElement | null): void {
  element?.focus({ preventScroll: true })
}
