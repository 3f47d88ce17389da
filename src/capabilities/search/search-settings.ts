import { z } from 'zod'
import { environmentVariable, httpAddress, share } from '../../capability.ts'

const embedding = z.strictObject({
  kind: z.enum(['ollama', 'openai-compatible']).describe('The protocol of the server.'),
  model: z.string().min(1).describe('Model that turns texts into vectors, such as nomic-embed-text.'),
  baseURL: httpAddress().optional().describe('Address of the server. Ollama is looked for at its usual address.'),
  apiKeyEnv: environmentVariable().optional().describe('Environment variable that holds the key.'),
  prefixes: z
    .strictObject({
      documents: z.string().max(500).default('').describe('Before each passage.'),
      queries: z.string().max(500).default('').describe('Before each question.'),
    })
    .optional()
    .describe('What the model has to read before a text. Known for well-known models.'),
  dimensions: z.int().min(1).max(65_536).optional().describe('Length of the vectors, where the model can choose.'),
  weight: share().default(0.1).describe('What a rank by meaning is worth beside the same rank by words.'),
  floor: share()
    .optional()
    .describe('The least cosine of question and passage that makes a passage an answer. Measured unless given.'),
})

/** The section `search` of config.json. */
export const searchSettings = z
  .strictObject({
    embedding: embedding
      .optional()
      .describe('Also finds passages by their meaning. Without it, passages are found by their words alone.'),
  })
  .prefault({})
  .describe('How files are searched.')

export type SearchSettings = z.output<typeof searchSettings>
