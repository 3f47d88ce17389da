import { z } from 'zod'
import { capability, environmentVariable, type FileEmbedder, httpAddress, share } from '../../capability.ts'

const embedding = z.strictObject({
  kind: z.enum(['ollama', 'openai-compatible']).describe('How the server is spoken to.'),
  model: z.string().min(1).describe('Model that turns texts into vectors, such as nomic-embed-text.'),
  baseURL: httpAddress().optional().describe('Where the server is. Ollama is looked for at its usual address.'),
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

const settings = z
  .strictObject({
    embedding: embedding
      .optional()
      .describe('Finds passages by what they mean too. By their words alone unless given.'),
  })
  .prefault({})
  .describe('How files are searched.')

export type SearchSettings = z.output<typeof settings>

/** The embedding model that the capability `files` searches with (`fileEmbedder`). By their words alone where it is left out. */
export const search = capability<SearchSettings, FileEmbedder>({
  name: 'search',
  summary: 'finds passages of files by what they mean',
  settings,
  checks: async (context) => (await import('./check-embedder.ts')).checkEmbedder(context),
  async start({ settings: given, environment, warn }) {
    if (!given.embedding) return {}
    const { configuredEmbedder } = await import('./configured-embedder.ts')
    const { warnings, ...found } = configuredEmbedder(given, environment)
    for (const warning of warnings) warn(warning)
    return found
  },
})
