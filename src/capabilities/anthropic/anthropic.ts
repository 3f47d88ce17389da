import { provider } from '../../model/provider.ts'
import { anthropicCatalog } from './anthropic-catalog.ts'

/** Anthropic, over the Messages API. */
export const anthropic = provider({
  kind: 'anthropic',
  builtIn: true,
  baseURL: 'https://api.anthropic.com/v1',
  baseURLVariable: 'ANTHROPIC_BASE_URL',
  environmentKeys: ['ANTHROPIC_API_KEY'],
  catalog: anthropicCatalog,
  defaultModel: { name: 'claude-sonnet-5-5', rank: 2 },
  open: async (settings) => (await import('./anthropic-model.ts')).anthropicModel(settings),
  async facts(connection, model, milliseconds) {
    const { assumedFacts, listedFacts, listModelsEndpoint } = await import('../../model.ts')
    if (connection.official) return assumedFacts(model)
    // Other servers with the Messages API list their models in OpenAI's format, if at all.
    return listedFacts(await listModelsEndpoint(connection, milliseconds), model)
  },
})
