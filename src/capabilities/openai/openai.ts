import { type ChatPackage, chatWireModel, chatWireSettings, listModelsEndpoint, provider } from '../../model.ts'
import { openaiCatalog } from './openai-catalog.ts'

const baseURL = 'https://api.openai.com/v1'

/** Reasoning can be silent for long, and Node's own `fetch` gives up after 300 seconds. */
const TIMEOUTS = { firstMs: 280_000, idleMs: 180_000 }

/**
 * OpenAI. Its own address is asked by the Responses API. Other addresses speak Chat Completions, the form that proxies and
 * scripted servers know (`docs/decisions/0004-models.md`).
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
  open: (settings) =>
    chatWireModel(
      settings,
      settings.options.api ?? (settings.baseURL === baseURL ? 'responses' : 'chat'),
      openaiPackage,
      TIMEOUTS,
    ),
  async list(connection, milliseconds) {
    if (connection.official) return openaiCatalog.map(({ id }) => ({ name: id }))
    // The catalog wins over what a server says of a model of the same name.
    const listed = await listModelsEndpoint(connection, milliseconds)
    return listed.map(({ name, facts }) => (openaiCatalog.some(({ id }) => id === name) ? { name } : { name, facts }))
  },
})

/** Both APIs of OpenAI, by its package of the AI SDK. */
const openaiPackage: ChatPackage = {
  optionsKey: 'openai',
  load: async (connection) => (await import('@ai-sdk/openai')).createOpenAI(connection),
}
