import { z } from 'zod'
import { type RecordKind, recordName, recordText } from '../../capability.ts'

export const projectSchema = z.strictObject({
  name: recordName.describe('What it is called.'),
  instructions: recordText.default('').describe('What the default agent reads in this project.'),
})

/** Sessions that share instructions and files. Without its id, as people write it. */
export type ProjectValue = z.output<typeof projectSchema>

export const projectRecordKind: RecordKind<ProjectValue> = {
  kind: 'project',
  schema: projectSchema,
  nameOf: ({ name }) => name,
}
