import { capability, type FileEmbedder } from '../../capability.ts'
import { type SearchSettings, searchSettings } from './search-settings.ts'

/** The embedding model that the capability `files` searches with (`fileEmbedder`). Without it, files are searched only by words. */
export const search = capability<SearchSettings, FileEmbedder>({
  name: 'search',
  summary: 'finds passages of files by their meaning',
  settings: { schema: searchSettings },
  checks: async (context) => (await import('./configured-embedder.ts')).checkEmbedder(context),
  async start({ settings, embedders, environment, clock, warn }) {
    if (!settings.embedding) return {}
    const { configuredEmbedder } = await import('./configured-embedder.ts')
    const { warning, ...found } = await configuredEmbedder(settings, embedders, environment, clock)
    if (warning !== undefined) warn(warning)
    return found
  },
})
