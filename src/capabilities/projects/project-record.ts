import { z } from 'zod'
import { type RecordKind, recordName, recordText } from '../../capability.ts'

export const projectSchema = z.strictObject({
  name: recordName.describe('Name of the project.'),
  instructions: recordText.default('').describe('Instructions for the default agent in this project.'),
})

export type ProjectValue = z.output<typeof projectSchema>

export const projectRecordKind: RecordKind<ProjectValue> = {
  kind: 'project',
  schema: projectSchema,
  nameOf: ({ name }) => name,
}
