import type { ChatPackage } from '../../model.ts'
import { chatWireSettings, provider } from '../../model/provider.ts'
import { openaiCatalog } from './openai-catalog.ts'

const baseURL = 'https://api.openai.com/v1'

/** A model can reason for long without output, and Node's own `fetch` gives up after 300 seconds. */
const TIMEOUTS = { firstMs: 280_000, idleMs: 180_000 }

/**
 * OpenAI. Its own address uses the Responses API. Other addresses use Chat Completions, which proxies and scripted servers know
 * (`docs/decisions/0004-models.md`).
 */
export const openai = provider({
  kind: 'openai',
  builtIn: true,
  settings: chatWireSettings,
  baseURL,
  baseURLVariable: 'OPENAI_BASE_URL',
  environmentKeys: ['OPENAI_API_KEY'],
  catalog: openaiCatalog,
  defaultModel: { name: 'gpt-6.1-sol', rank: 3 },
  async open(settings) {
    const { chatWireModel } = await import('../../model.ts')
    const api = settings.options.api ?? (settings.baseURL === baseURL ? 'responses' : 'chat')
    return chatWireModel(settings, api, openaiPackage, TIMEOUTS)
  },
  async list(connection, milliseconds) {
    if (connection.official) return openaiCatalog.map(({ id }) => ({ name: id }))
    // The catalog takes precedence over the server's facts of a model with the same name.
    const { listModelsEndpoint } = await import('../../model.ts')
    const listed = await listModelsEndpoint(connection, milliseconds)
    return listed.map(({ name, facts }) => (openaiCatalog.some(({ id }) => id === name) ? { name } : { name, facts }))
  },
})

/** Both APIs of OpenAI, by its package of the AI SDK. */
const openaiPackage: ChatPackage = {
  optionsKey: 'openai',
  load: async (connection) => (await import('@ai-sdk/openai')).createOpenAI(connection),
}
