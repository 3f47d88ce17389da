import { type Embedder, type EmbeddingService, httpEmbedder } from '../../search.ts'
import { defined } from '../../platform.ts'

/**
 * An embedding model behind Ollama's `/api/embed`. The service cuts off texts that are longer than the model reads.
 *
 * @example ollamaEmbedder({ baseURL: 'http://127.0.0.1:11434', model: 'nomic-embed-text' })
 */
export function ollamaEmbedder(service: EmbeddingService): Embedder {
  return httpEmbedder(service, {
    kind: 'ollama',
    path: '/api/embed',
    body: (input, { model, dimensions }) => ({ model, input, truncate: true, ...defined({ dimensions }) }),
    vectors: (answer) => (answer as { readonly embeddings?: unknown } | null)?.embeddings,
  })
}
