import { z } from 'zod'
import { environmentVariable, httpAddress, share } from '../../capability.ts'

const embedding = z.strictObject({
  kind: z
    .string()
    .min(1)
    .meta({ embedder: true })
    .describe('API of the server, such as `ollama` or `openai-compatible`.'),
  model: z.string().min(1).describe('Model that turns texts into vectors, such as nomic-embed-text.'),
  baseURL: httpAddress().optional().describe('Address of the server. Ollama has a usual one.'),
  apiKeyEnv: environmentVariable().optional().describe('Environment variable that holds the key.'),
  prefixes: z
    .strictObject({
      documents: z.string().max(500).default('').describe('Before each passage.'),
      queries: z.string().max(500).default('').describe('Before each question.'),
    })
    .optional()
    .describe('Texts that the model expects before a text. Built in for well-known models.'),
  dimensions: z.int().min(1).max(65_536).optional().describe('Length of the vectors, for models that can choose it.'),
  weight: share().default(0.1).describe('Weight of a rank by meaning beside the same rank by words.'),
  floor: share()
    .optional()
    .describe('The least cosine of question and passage that makes a passage an answer. Measured unless given.'),
})

/** The section `search` of `config.json`. */
export const searchSettings = z
  .strictObject({
    embedding: embedding
      .optional()
      .describe('Embedding model that finds passages by their meaning too. By their words alone unless given.'),
  })
  .prefault({})
  .describe('Search of files.')

export type SearchSettings = z.output<typeof searchSettings>
