import { z } from 'zod'
import { homePath, modelId } from '../../capability.ts'

export const subjectSettings = z.strictObject({
  directory: homePath().default('subjects').describe('Folder of the subjects, relative to the home.'),
  tastes: homePath({ variables: ['CHEMIGRAM_TASTES_DIR'] })
    .default('tastes')
    .describe('Folder of the tastes, relative to the home.'),
  default: z.string().min(1).optional().describe('Id of the subject for sessions that choose none.'),
  maxTextChars: z.int().min(200).default(20_000).describe('The most characters of one text of a subject in a context.'),
  maxReplyChars: z
    .int()
    .min(10_000)
    .default(50_000)
    .describe('The most characters of the whole context of a subject as JSON.'),
  summarize: z
    .boolean()
    .default(false)
    .describe(
      'Whether a model summarizes notes of more than 40 lines. By default, the context has their beginning and end.',
    ),
  summaryModel: modelId()
    .optional()
    .describe('PROVIDER/MODEL that writes the summaries. Default: the configured model.'),
})

export type SubjectSettings = z.output<typeof subjectSettings>
