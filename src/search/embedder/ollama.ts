import type { Embedder } from '../engine.ts'
import { ask } from './ask.ts'
import { below, DEFAULT_BATCH, type EmbeddingService, idOf, nameOf, prefixed, secretsIn } from './service.ts'
import { vectorsOf } from './vectors-of.ts'

/**
 * An embedding model behind Ollama's `/api/embed`. The service cuts off what is longer than the model reads.
 *
 * @example ollamaEmbedder({ baseURL: 'http://127.0.0.1:11434', model: 'nomic-embed-text' })
 */
export function ollamaEmbedder(service: EmbeddingService): Embedder {
  const { baseURL, model, dimensions, batch = DEFAULT_BATCH, headers = {}, fetch = globalThis.fetch } = service
  const id = idOf('ollama', service)
  return {
    id,
    batch,
    async embed(texts, { kind, signal }) {
      if (texts.length === 0) return []
      const input = prefixed(service, texts, kind)
      const answer = await ask({
        embedder: nameOf(id),
        url: below(baseURL, '/api/embed'),
        body: { model, input, truncate: true, ...(dimensions !== undefined && { dimensions }) },
        headers,
        secrets: secretsIn(baseURL, headers),
        fetch,
        signal,
      })
      return vectorsOf(
        nameOf(id),
        (answer as { readonly embeddings?: unknown } | null)?.embeddings,
        texts.length,
        dimensions,
      )
    },
  }
}
