import { ollamaAddress } from '../model.ts'
import { type Embedder, ollamaEmbedder, openaiCompatibleEmbedder } from '../search.ts'
import type { Environment } from './configuration/environment.ts'
import type { Configuration } from './configuration/settled.ts'

/** What the configuration says of finding passages by their meaning. */
export interface ConfiguredEmbedder {
  /** Absent: passages are found by their words alone. */
  readonly embedder?: Embedder
  readonly warnings: readonly string[]
}

/** The embedding model of `search.embedding`. Asks nobody. */
export function configuredEmbedder(
  { embedding }: Configuration['search'],
  environment: Environment,
): ConfiguredEmbedder {
  if (!embedding) return { warnings: [] }
  const { kind, model, baseURL, apiKeyEnv } = embedding
  if (kind === 'ollama') {
    const service = { baseURL: ollamaAddress(baseURL ?? environment['OLLAMA_HOST'] ?? ''), model }
    return { embedder: ollamaEmbedder(service), warnings: [] }
  }
  if (baseURL === undefined) return { warnings: ['search.embedding.baseURL is missing: say where the server is'] }
  const apiKey = apiKeyEnv === undefined ? undefined : environment[apiKeyEnv]
  if (apiKeyEnv !== undefined && !apiKey) {
    return { warnings: [`search.embedding: the environment variable ${apiKeyEnv} is not set`] }
  }
  return { embedder: openaiCompatibleEmbedder({ baseURL, model, ...(apiKey ? { apiKey } : {}) }), warnings: [] }
}
