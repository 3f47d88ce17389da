import { type Embedder, type EmbeddingService, httpEmbedder } from '../../search.ts'
import { defined } from '../../platform.ts'

/** Ollama's `/api/embed`, which cuts off texts that are longer than the model reads. */
export function ollamaEmbedder(service: EmbeddingService): Embedder {
  return httpEmbedder(service, {
    kind: 'ollama',
    path: '/api/embed',
    body: (input, { model, dimensions }) => ({ model, input, truncate: true, ...defined({ dimensions }) }),
    vectors: (answer) => (answer as { readonly embeddings?: unknown } | null)?.embeddings,
  })
}
