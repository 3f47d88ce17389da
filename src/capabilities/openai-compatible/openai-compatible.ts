import type { ModelFacts } from '../../model.ts'
import { chatWireSettings, provider } from '../../model/provider.ts'
import { defined } from '../../platform.ts'
import type { EmbedderKind } from '../../search.ts'
import { vendorCatalog } from './vendor-catalog.ts'

/** Any server with Chat Completions or the Responses API: LM Studio, vLLM, llama.cpp, OpenRouter and many more. */
export const openaiCompatible = provider({
  kind: 'openai-compatible',
  title: "A server with OpenAI's API",
  settings: chatWireSettings,
  needsBaseURL: true,
  catalog: vendorCatalog,
  open: async (settings) => (await import('./openai-compatible-model.ts')).openaiCompatibleModel(settings),
  async list(connection, milliseconds) {
    const listed = await (await import('../../model.ts')).listModelsEndpoint(connection, milliseconds)
    return listed.map(({ name, facts }) => ({ name, facts: ownFacts(facts, connection.baseURL) }))
  },
  async facts(connection, model, milliseconds) {
    const { listedFacts, listModelsEndpoint } = await import('../../model.ts')
    const listed = listedFacts(await listModelsEndpoint(connection, milliseconds), model)
    const facts = ownFacts(listed, connection.baseURL)
    if (!facts.cache?.requested) return facts
    const { engineSlots } = await import('./openai-compatible-model.ts')
    const slotCount = await engineSlots(connection, milliseconds)
    return { ...facts, cache: { ...facts.cache, ...defined({ slotCount }) } }
  },
})

/** An engine on this machine costs nothing, unless it has told a price: then it passes the calls on. */
function ownFacts(facts: ModelFacts, baseURL: string): ModelFacts {
  const host = URL.parse(baseURL)?.hostname ?? ''
  return facts.price || !LOOPBACK.test(host) ? facts : { ...facts, free: true }
}

const LOOPBACK = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/

/** Embedding models behind `/v1/embeddings`, on any server. */
export const openaiCompatibleEmbedding: EmbedderKind = {
  kind: 'openai-compatible',
  needsBaseURL: true,
  async open({ baseURL = '', ...service }) {
    const { openaiCompatibleEmbedder } = await import('./openai-compatible-embedder.ts')
    return openaiCompatibleEmbedder({ ...service, baseURL })
  },
}
