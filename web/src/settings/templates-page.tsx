import type { ReactNode } from 'react'
import { templateFields } from '../../../src/capabilities/templates/template-fields.ts'
import { firstLine } from '../api/templates.ts'
import { TextArea } from '../parts/fields.tsx'
import { type FieldsProps, fieldsText, type RecordsKind } from './records-kind.ts'
import { t } from '../language/language.ts'
import { RecordsPage } from './records-page.tsx'

interface Template {
  readonly name: string
  readonly text: string
}

const templates: RecordsKind<Template> = {
  name: 'template',
  words: {
    about: t`A template is a message that you save, with fields to fill in before you send it.`,
    list: t`templates`,
    all: t`All templates`,
    new: t`New template`,
    create: t`Create the template`,
    none: t`There is no template yet.`,
    use: t`In a conversation, type / and its name, or press the button beside the one for files.`,
    removed: t`Removed templates`,
    remove: t`Remove this template`,
    isRemoved: t`This template is removed. Put one of its versions back to use it again.`,
    named: (name) => t`The template ${name}`,
  },
  nameHint: t`One word, to be typed behind a slash.`,
  empty: { name: '', text: '' },
  describe: ({ text }) => firstLine(text),
  textOf: ({ name, text }) => fieldsText({ [t`name`]: name }, { [t`text`]: text }),
  Fields: TemplateFields,
}

export default function TemplatesPage(): ReactNode {
  return <RecordsPage kind={templates} />
}

function TemplateFields({ value, set }: FieldsProps<Template>): ReactNode {
  const names = templateFields(value.text).map(({ name }) => name)
  return (
    <TextArea
      label={t`Message`}
      required
      hint={
        names.length === 0
          ? t`{{topic}} is a field, {{topic:tides}} one with a value, {{tone:formal|friendly}} a choice.`
          : t`Fields: ${names.join(', ')}.`
      }
      value={value.text}
      onChange={({ target }) => set({ ...value, text: target.value })}
    />
  )
}
