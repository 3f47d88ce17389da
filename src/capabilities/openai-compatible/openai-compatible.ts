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
  list: async (connection, milliseconds) =>
    (await import('../../model.ts')).listModelsEndpoint(connection, milliseconds),
  async facts(connection, model, milliseconds) {
    const { listedFacts, listModelsEndpoint } = await import('../../model.ts')
    const facts = listedFacts(await listModelsEndpoint(connection, milliseconds), model)
    if (!facts.cache?.requested) return facts
    const { engineSlots } = await import('./openai-compatible-model.ts')
    const slotCount = await engineSlots(connection, milliseconds)
    return { ...facts, cache: { ...facts.cache, ...defined({ slotCount }) } }
  },
})

/** Embedding models behind `/v1/embeddings`, on any server. */
export const openaiCompatibleEmbedding: EmbedderKind = {
  kind: 'openai-compatible',
  needsBaseURL: true,
  open: async ({ baseURL = '', ...service }) =>
    (await import('./openai-compatible-embedder.ts')).openaiCompatibleEmbedder({ ...service, baseURL }),
}
