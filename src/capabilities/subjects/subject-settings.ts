import { z } from 'zod'
import { homePath, modelId } from '../../capability.ts'

export const subjectSettings = z.strictObject({
  directory: homePath().default('subjects').describe('Folder of the subjects; relative to the home.'),
  tastes: homePath({ variables: ['CHEMIGRAM_TASTES_DIR'] })
    .default('tastes')
    .describe('Folder of the tastes; relative to the home.'),
  default: z.string().min(1).optional().describe('Id of the subject of sessions that choose none.'),
  maxTextChars: z
    .int()
    .min(200)
    .default(20_000)
    .describe('The most of one text of a subject that is read into a context, characters.'),
  maxReplyChars: z
    .int()
    .min(10_000)
    .default(50_000)
    .describe('The most of all that is read of a subject at once, as JSON, characters.'),
  summarize: z
    .boolean()
    .default(false)
    .describe('Whether a model puts notes of more than 40 lines into words. Their beginning and end unless it does.'),
  summaryModel: modelId().optional().describe('PROVIDER/MODEL that does it; the configured model unless given.'),
})

export type SubjectSettings = z.output<typeof subjectSettings>
