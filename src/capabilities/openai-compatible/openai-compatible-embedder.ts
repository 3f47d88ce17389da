import { defined } from '../../platform.ts'
import { type Embedder, type EmbeddingService, httpEmbedder } from '../../search.ts'

/** The API `/v1/embeddings`. `baseURL` may end with `/v1`. */
export function openaiCompatibleEmbedder(service: EmbeddingService): Embedder {
  const baseURL = service.baseURL.replace(/\/v1\/*$/, '')
  return httpEmbedder(
    { ...service, baseURL },
    {
      kind: 'openai-compatible',
      path: '/v1/embeddings',
      body: (input, { model, dimensions }) => ({ model, input, encoding_format: 'float', ...defined({ dimensions }) }),
      vectors: orderedVectors,
    },
  )
}

/** Each vector names by `index` the text that it belongs to. */
function orderedVectors(answer: unknown): unknown {
  const data = (answer as { readonly data?: unknown } | null)?.data
  if (!Array.isArray(data)) return undefined
  const items = data as readonly ({ readonly index?: unknown; readonly embedding?: unknown } | null)[]
  return items
    .map((item, place) => ({ index: typeof item?.index === 'number' ? item.index : place, embedding: item?.embedding }))
    .toSorted((a, b) => a.index - b.index)
    .map((item) => item.embedding)
}
