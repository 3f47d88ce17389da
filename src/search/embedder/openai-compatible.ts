import type { Embedder } from '../engine.ts'
import { ask } from './ask.ts'
import { below, DEFAULT_BATCH, type EmbeddingService, idOf, nameOf, prefixed, secretsIn } from './service.ts'
import { vectorsOf } from './vectors-of.ts'

export interface OpenAICompatibleEmbedding extends EmbeddingService {
  readonly apiKey?: string
}

/**
 * An embedding model behind `/v1/embeddings` as OpenAI has it, and many others. `baseURL` may end with `/v1` or not.
 *
 * @example openaiCompatibleEmbedder({ baseURL: 'http://127.0.0.1:8080/v1', model: 'bge-m3' })
 */
export function openaiCompatibleEmbedder(service: OpenAICompatibleEmbedding): Embedder {
  const { baseURL, model, apiKey, dimensions, batch = DEFAULT_BATCH, fetch = globalThis.fetch } = service
  const headers = { ...(apiKey && { authorization: `Bearer ${apiKey}` }), ...service.headers }
  const id = idOf('openai-compatible', service)
  return {
    id,
    batch,
    async embed(texts, { kind, signal }) {
      if (texts.length === 0) return []
      const input = prefixed(service, texts, kind)
      const answer = await ask({
        embedder: nameOf(id),
        url: below(baseURL.replace(/\/v1\/*$/, ''), '/v1/embeddings'),
        body: { model, input, encoding_format: 'float', ...(dimensions !== undefined && { dimensions }) },
        headers,
        secrets: secretsIn(baseURL, headers),
        fetch,
        signal,
      })
      return vectorsOf(nameOf(id), inOrder(answer), texts.length, dimensions)
    },
  }
}

/** Each vector says by `index` which text it belongs to. */
function inOrder(answer: unknown): unknown {
  const data = (answer as { readonly data?: unknown } | null)?.data
  if (!Array.isArray(data)) return undefined
  const items = data as readonly ({ readonly index?: unknown; readonly embedding?: unknown } | null)[]
  return items
    .map((item, place) => ({ index: typeof item?.index === 'number' ? item.index : place, embedding: item?.embedding }))
    .toSorted((a, b) => a.index - b.index)
    .map((item) => item.embedding)
}
