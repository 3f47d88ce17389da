import { capability, type FileEmbedder } from '../../capability.ts'
import { type SearchSettings, searchSettings } from './search-settings.ts'

/** The embedding model that the capability `files` searches with (`fileEmbedder`). Without it, files are searched by words alone. */
export const search = capability<SearchSettings, FileEmbedder>({
  name: 'search',
  summary: 'finds passages of files by what they mean',
  settings: searchSettings,
  checks: async (context) => (await import('./configured-embedder.ts')).checkEmbedder(context),
  async start({ settings, environment, warn }) {
    if (!settings.embedding) return {}
    const { configuredEmbedder } = await import('./configured-embedder.ts')
    const { warnings, ...found } = configuredEmbedder(settings, environment)
    for (const warning of warnings) warn(warning)
    return found
  },
})
