import { defined } from '../../platform.ts'
import { ollamaAddress } from '../providers.ts'
import type { FileEmbedder } from '../../capability.ts'
import { knownPrefixes, ollamaEmbedder, openaiCompatibleEmbedder } from '../../search.ts'
import type { SearchSettings } from './search.ts'

/** What the configuration says of finding passages by their meaning. */
export interface ConfiguredEmbedder extends FileEmbedder {
  readonly warnings: readonly string[]
}

/** The embedding model of `search.embedding`. Asks nobody. */
export function configuredEmbedder(
  { embedding }: SearchSettings,
  environment: Readonly<Record<string, string | undefined>>,
): ConfiguredEmbedder {
  if (!embedding) return { warnings: [] }
  const { kind, model, baseURL, apiKeyEnv, dimensions } = embedding
  const prefixes = embedding.prefixes
    ? { document: embedding.prefixes.documents, query: embedding.prefixes.queries }
    : knownPrefixes(model)
  const service = { model, ...(prefixes ? { prefixes } : {}), ...defined({ dimensions }) }
  const meaning = {
    weight: embedding.weight,
    ...defined({ floor: embedding.floor }),
  }
  if (kind === 'ollama') {
    const address = ollamaAddress(baseURL ?? environment['OLLAMA_HOST'] ?? '')
    return { embedder: ollamaEmbedder({ ...service, baseURL: address }), meaning, warnings: [] }
  }
  if (baseURL === undefined) return { warnings: ['search.embedding.baseURL is missing: say where the server is'] }
  const apiKey = apiKeyEnv === undefined ? undefined : environment[apiKeyEnv]
  if (apiKeyEnv !== undefined && !apiKey) {
    return { warnings: [`search.embedding: the environment variable ${apiKeyEnv} is not set`] }
  }
  const embedder = openaiCompatibleEmbedder({ ...service, baseURL, ...(apiKey ? { apiKey } : {}) })
  return { embedder, meaning, warnings: [] }
}
