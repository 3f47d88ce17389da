import type { EmbedderKind } from '../../search.ts'
import { ollamaAddress } from './ollama.ts'

/** Embedding models of Ollama, at `baseURL`, at `OLLAMA_HOST`, or at its usual address. */
export const ollamaEmbedding: EmbedderKind = {
  kind: 'ollama',
  async open({ environment, baseURL = environment['OLLAMA_HOST'] ?? '', ...service }) {
    const { ollamaEmbedder } = await import('./ollama-embedder.ts')
    return ollamaEmbedder({ ...service, baseURL: ollamaAddress(baseURL) })
  },
}
