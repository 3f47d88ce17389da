import type { ReactNode } from 'react'
import { templateFields } from '../../../src/capabilities/templates/template-fields.ts'
import { firstLine } from '../api/templates.ts'
import { TextArea } from '../parts/fields.tsx'
import { type FieldsProps, fieldsText, type RecordsKind } from './records-kind.ts'
import { RecordsPage } from './records-page.tsx'

interface Template {
  readonly name: string
  readonly text: string
}

const templates: RecordsKind<Template> = {
  name: 'template',
  one: 'a template',
  about: 'A template is a message that you save, with fields to fill in before you send it.',
  use: 'In a conversation, type / and its name, or press the button beside the one for files.',
  nameHint: 'One word, to be typed behind a slash.',
  empty: { name: '', text: '' },
  describe: ({ text }) => firstLine(text),
  textOf: ({ name, text }) => fieldsText({ name }, { text }),
  Fields: TemplateFields,
}

export default function TemplatesPage(): ReactNode {
  return <RecordsPage kind={templates} />
}

function TemplateFields({ value, set }: FieldsProps<Template>): ReactNode {
  const names = templateFields(value.text).map(({ name }) => name)
  return (
    <TextArea
      label="Message"
      required
      hint={
        names.length === 0
          ? '{{topic}} is a field, {{topic:tides}} one with a value, {{tone:formal|friendly}} a choice.'
          : `Fields: ${names.join(', ')}.`
      }
      value={value.text}
      onChange={({ target }) => set({ ...value, text: target.value })}
    />
  )
}
