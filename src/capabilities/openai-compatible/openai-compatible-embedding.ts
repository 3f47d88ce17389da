import type { EmbedderKind } from '../../search.ts'

/** Embedding models behind the embeddings API of OpenAI, on any server. */
export const openaiCompatibleEmbedding: EmbedderKind = {
  kind: 'openai-compatible',
  needsBaseURL: true,
  async open({ baseURL = '', ...service }) {
    const { openaiCompatibleEmbedder } = await import('./openai-compatible-embedder.ts')
    return openaiCompatibleEmbedder({ ...service, baseURL })
  },
}
