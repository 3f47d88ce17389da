import { ok, problem } from '../../cli.ts'
import type { CheckContext, Finding } from '../../capability.ts'
import { errorMessage } from '../../platform.ts'
import type { SearchSettings } from './search-settings.ts'

const HINT =
  'Start its server and check `search.embedding` of config.json. Until then files are searched by words alone.'
const TIMEOUT_MS = 5_000

export async function checkEmbedder({
  settings,
  embedders,
  environment,
  clock,
}: CheckContext<SearchSettings>): Promise<readonly Finding[]> {
  if (!settings.embedding) return []
  const { configuredEmbedder } = await import('./configured-embedder.ts')
  try {
    const { embedder, meaning, warning = '' } = await configuredEmbedder(settings, embedders, environment, clock)
    if (!embedder) return [problem('search', warning, HINT)]
    const signal = clock.timeoutSignal(TIMEOUT_MS)
    const [vector] = await embedder.embed(['foreword doctor'], { kind: 'query', signal })
    return [ok('search', `${embedder.id} returns vectors of ${vector!.length} numbers, weight ${meaning?.weight}`)]
  } catch (error) {
    return [problem('search', errorMessage(error), HINT)]
  }
}
