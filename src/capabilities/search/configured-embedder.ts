import type { FileEmbedder } from '../../capability.ts'
import { type Clock, defined } from '../../platform.ts'
import { type EmbedderKind, knownPrefixes } from '../../search.ts'
import type { SearchSettings } from './search-settings.ts'

interface ConfiguredEmbedder extends FileEmbedder {
  readonly warning?: string
}

/** Sends no request. */
export async function configuredEmbedder(
  { embedding }: SearchSettings,
  kinds: readonly EmbedderKind[],
  environment: Readonly<Record<string, string | undefined>>,
  clock: Clock,
): Promise<ConfiguredEmbedder> {
  if (!embedding) return {}
  const { kind: name, model, baseURL, apiKeyEnv, dimensions, weight, floor } = embedding
  const kind = kinds.find((each) => each.kind === name)
  if (!kind) {
    const known = kinds.map((each) => each.kind).join(', ')
    return {
      warning: `search.embedding.kind is ${name}, which no capability provides. Use one of: ${known || 'none'}.`,
    }
  }
  if (kind.needsBaseURL && baseURL === undefined) {
    return { warning: 'search.embedding.baseURL is missing. Set it to the address of the server.' }
  }
  const apiKey = apiKeyEnv === undefined ? undefined : environment[apiKeyEnv]
  if (apiKeyEnv !== undefined && !apiKey) {
    return { warning: `search.embedding: the environment variable ${apiKeyEnv} is not set.` }
  }
  const prefixes = embedding.prefixes
    ? { document: embedding.prefixes.documents, query: embedding.prefixes.queries }
    : knownPrefixes(model)
  const embedder = await kind.open({ model, environment, clock, ...defined({ baseURL, apiKey, dimensions, prefixes }) })
  return { embedder, meaning: { weight, ...defined({ floor }) } }
}
