import { phrase } from '../../context.ts'
import type { FileEmbedder, CheckContext, Finding } from '../../capability.ts'
import { type Clock, defined, errorMessage } from '../../platform.ts'
import { type EmbedderKind, knownPrefixes } from '../../search.ts'
import type { SearchSettings } from './search-settings.ts'
import { ok, problem } from '../../cli.ts'

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
      warning: phrase`search.embedding.kind is ${name}, which no capability provides. Use one of: ${known || phrase`none`}.`,
    }
  }
  if (kind.needsBaseURL && baseURL === undefined) {
    return { warning: phrase`search.embedding.baseURL is missing. Set it to the address of the server.` }
  }
  const apiKey = apiKeyEnv === undefined ? undefined : environment[apiKeyEnv]
  if (apiKeyEnv !== undefined && !apiKey) {
    return { warning: phrase`search.embedding: the environment variable ${apiKeyEnv} is not set.` }
  }
  const prefixes = embedding.prefixes
    ? { document: embedding.prefixes.documents, query: embedding.prefixes.queries }
    : knownPrefixes(model)
  const embedder = await kind.open({ model, environment, clock, ...defined({ baseURL, apiKey, dimensions, prefixes }) })
  return { embedder, meaning: { weight, ...defined({ floor }) } }
}

const HINT = phrase`Start its server and check \`search.embedding\` of config.json. Until then files are searched by words alone.`
const TIMEOUT_MS = 5_000

export async function checkEmbedder({
  settings,
  embedders,
  environment,
  clock,
}: CheckContext<SearchSettings>): Promise<readonly Finding[]> {
  if (!settings.embedding) return []
  try {
    const { embedder, meaning, warning = '' } = await configuredEmbedder(settings, embedders, environment, clock)
    if (!embedder) return [problem('search', warning, HINT)]
    const signal = clock.timeoutSignal(TIMEOUT_MS)
    const [vector] = await embedder.embed(['foreword doctor'], { kind: 'query', signal })
    return [
      ok(
        'search',
        phrase`${embedder.id} returns vectors of ${vector!.length} numbers, weight ${meaning?.weight ?? ''}`,
      ),
    ]
  } catch (error) {
    return [problem('search', errorMessage(error), HINT)]
  }
}
