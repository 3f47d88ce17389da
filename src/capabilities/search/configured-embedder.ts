import type { CheckContext, FileEmbedder, Finding } from '../../capability.ts'
import { defined, errorMessage } from '../../platform.ts'
import { knownPrefixes, ollamaEmbedder, openaiCompatibleEmbedder } from '../../search.ts'
import { ollamaAddress } from '../providers.ts'
import type { SearchSettings } from './search-settings.ts'

interface ConfiguredEmbedder extends FileEmbedder {
  /** Why the configured model cannot be used. */
  readonly warnings: readonly string[]
}

/** The embedding model of `search.embedding`. Calls no server. */
export function configuredEmbedder(
  { embedding }: SearchSettings,
  environment: Readonly<Record<string, string | undefined>>,
): ConfiguredEmbedder {
  if (!embedding) return { warnings: [] }
  const { kind, model, baseURL, apiKeyEnv, dimensions, weight, floor } = embedding
  const prefixes = embedding.prefixes
    ? { document: embedding.prefixes.documents, query: embedding.prefixes.queries }
    : knownPrefixes(model)
  const service = { model, ...defined({ prefixes, dimensions }) }
  const meaning = { weight, ...defined({ floor }) }
  if (kind === 'ollama') {
    const address = ollamaAddress(baseURL ?? environment['OLLAMA_HOST'] ?? '')
    return { embedder: ollamaEmbedder({ ...service, baseURL: address }), meaning, warnings: [] }
  }
  if (baseURL === undefined) {
    return { warnings: ['search.embedding.baseURL is missing. Set it to the address of the server.'] }
  }
  const apiKey = apiKeyEnv === undefined ? undefined : environment[apiKeyEnv]
  if (apiKeyEnv !== undefined && !apiKey) {
    return { warnings: [`search.embedding: the environment variable ${apiKeyEnv} is not set.`] }
  }
  const embedder = openaiCompatibleEmbedder({ ...service, baseURL, ...(apiKey ? { apiKey } : {}) })
  return { embedder, meaning, warnings: [] }
}

/** Checks that the embedding model turns a text into a vector. No finding where none is configured. */
export async function checkEmbedder({
  settings,
  environment,
}: CheckContext<SearchSettings>): Promise<readonly Finding[]> {
  const { embedder, meaning, warnings } = configuredEmbedder(settings, environment)
  if (!embedder) return warnings.map(problem)
  try {
    const signal = AbortSignal.timeout(TIMEOUT_MS)
    const [vector] = await embedder.embed(['foreword doctor'], { kind: 'query', signal })
    const message = `${embedder.id} gives vectors of ${vector!.length} numbers, weight ${meaning?.weight}`
    return [{ check: 'search', level: 'ok', message }]
  } catch (error) {
    return [problem(errorMessage(error))]
  }
}

const TIMEOUT_MS = 5_000

function problem(message: string): Finding {
  const hint =
    'Start its server and check `search.embedding` of config.json. Until then files are searched by words alone.'
  return { check: 'search', level: 'problem', message, hint }
}
