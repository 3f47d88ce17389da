import { z } from 'zod'
import { capability } from '../../capability.ts'

const variable = z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'must be the name of an environment variable')
const share = z.number().min(0).max(1)

const embedding = z.strictObject({
  kind: z.enum(['ollama', 'openai-compatible']).describe('How the server is spoken to.'),
  model: z.string().min(1).describe('Model that turns texts into vectors, such as nomic-embed-text.'),
  baseURL: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe('Where the server is. Ollama is looked for at its usual address.'),
  apiKeyEnv: variable.optional().describe('Environment variable that holds the key.'),
  prefixes: z
    .strictObject({
      documents: z.string().max(500).default('').describe('Before each passage.'),
      queries: z.string().max(500).default('').describe('Before each question.'),
    })
    .optional()
    .describe('What the model has to read before a text. Known for well-known models.'),
  dimensions: z.int().min(1).max(65_536).optional().describe('Length of the vectors, where the model can choose.'),
  weight: share.default(0.1).describe('What a rank by meaning is worth beside the same rank by words.'),
  floor: share
    .optional()
    .describe('The least cosine of question and passage that makes a passage an answer. Measured unless given.'),
})

const settings = z.strictObject({
  embedding: embedding.optional().describe('Finds passages by what they mean too. By their words alone unless given.'),
})

export type SearchSettings = z.output<typeof settings>

/** Settings of the index of files, which have a section of their own. The capability `files` reads them. */
export const search = capability<SearchSettings>({
  name: 'search',
  summary: 'the embedding model that files are searched with',
  settings,
  async checks({ settings: given, environment }) {
    const { checkEmbedder } = await import('./cli/check-embedder.ts')
    return checkEmbedder(given, environment)
  },
})
