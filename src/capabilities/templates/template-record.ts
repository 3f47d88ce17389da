import { z } from 'zod'
import { type RecordKind, recordName, recordText, sharedWith } from '../../capability.ts'

export const templateSchema = z.strictObject({
  name: recordName
    .max(40, 'is longer than 40 characters')
    .regex(/^[\p{L}\p{N}][\p{L}\p{M}\p{N}_-]*$/u, 'must be one word of letters, digits, - and _')
    .describe('Name of the template: one word, typed behind a slash in the message field.'),
  text: recordText
    .refine((text) => text.trim() !== '', 'needs a text')
    .describe(
      'The message. `{{topic}}` is a field, `{{topic:tides}}` one with a value, `{{tone:formal|friendly}}` a choice.',
    ),
  sharedWith,
})

export type TemplateValue = z.output<typeof templateSchema>

export const templateRecordKind: RecordKind<TemplateValue> = {
  kind: 'template',
  schema: templateSchema,
  nameOf: ({ name }) => name,
}
