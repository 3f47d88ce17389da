import { z } from 'zod'
import { environmentVariable, httpAddress, share } from '../../capability.ts'

const embedding = z.strictObject({
  kind: z
    .string()
    .min(1)
    .meta({ embedder: true })
    .describe('API of the server, such as `ollama` or `openai-compatible`.'),
  model: z.string().min(1).describe('Embedding model, such as nomic-embed-text.'),
  baseURL: httpAddress().optional().describe('Address of the server. Ollama has a default address.'),
  apiKeyEnv: environmentVariable().optional().describe('Environment variable with the key.'),
  prefixes: z
    .strictObject({
      documents: z.string().max(500).default('').describe('Text before each passage.'),
      queries: z.string().max(500).default('').describe('Text before each question.'),
    })
    .optional()
    .describe('Texts that the model requires before its input. Built in for well-known models.'),
  dimensions: z
    .int()
    .min(1)
    .max(65_536)
    .optional()
    .describe('Length of the vectors, for models that support several lengths.'),
  weight: share().default(0.1).describe('Weight of a rank by meaning relative to the same rank by words.'),
  floor: share()
    .optional()
    .describe(
      'The lowest cosine similarity of question and passage at which the passage is a result. By default, it is measured.',
    ),
})

export const searchSettings = z
  .strictObject({
    embedding: embedding
      .optional()
      .describe('Embedding model that also finds passages by meaning. By default, the search compares only words.'),
  })
  .prefault({})
  .describe('Search of files.')

export type SearchSettings = z.output<typeof searchSettings>
