import { ok, problem } from '../../../cli.ts'
import type { CheckContext, Finding } from '../../../capability.ts'
import { errorMessage } from '../../../platform.ts'
import type { SearchSettings } from '../search.ts'

const REMEDY =
  'Start its server and check `search.embedding` of config.json. Until then files are searched by words alone.'
const TIMEOUT_MS = 5_000

/** Whether the embedding model turns a text into a vector. Nothing where none is configured. */
export async function checkEmbedder(
  search: SearchSettings,
  environment: CheckContext['environment'],
): Promise<readonly Finding[]> {
  if (!search.embedding) return []
  const { configuredEmbedder } = await import('../configured-embedder.ts')
  const { embedder, meaning, warnings } = configuredEmbedder(search, environment)
  if (!embedder) return warnings.map((text) => problem('search', text, REMEDY))
  try {
    const signal = AbortSignal.timeout(TIMEOUT_MS)
    const [vector] = await embedder.embed(['foreword doctor'], { kind: 'query', signal })
    return [ok('search', `${embedder.id} gives vectors of ${vector!.length} numbers, weight ${meaning?.weight}`)]
  } catch (error) {
    return [problem('search', errorMessage(error), REMEDY)]
  }
}
