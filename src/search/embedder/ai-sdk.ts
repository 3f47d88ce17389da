import { setTimeout as wait } from 'node:timers/promises'
import type { EmbeddingModelV4 } from '@ai-sdk/provider'
import { errorMessage } from '../../platform.ts'
import type { Embedder } from '../engine.ts'
import { SearchError } from '../search-error.ts'
import { isPassing, PAUSE_MS } from './ask.ts'
import { DEFAULT_BATCH } from './service.ts'
import { vectorsOf } from './vectors-of.ts'
import { withoutSecrets } from './without-secrets.ts'

type ProviderOptions = Parameters<EmbeddingModelV4['doEmbed']>[0]['providerOptions']

export interface AiSdkEmbedderOptions {
  /** What the provider is told beside the texts, where it tells documents and questions apart. */
  readonly providerOptions?: { readonly document: ProviderOptions; readonly query: ProviderOptions }
  /** Texts of one call at most; the model's own limit holds too. 32 unless given. */
  readonly batch?: number
}

/** Any embedding model of the AI SDK. What it throws is said again without what it knows of keys and texts. */
export function aiSdkEmbedder(model: EmbeddingModelV4, options: AiSdkEmbedderOptions = {}): Embedder {
  const { providerOptions, batch = DEFAULT_BATCH } = options
  const id = `${model.provider}/${model.modelId}${providerOptions ? ` ${JSON.stringify(providerOptions)}` : ''}`
  return {
    id,
    batch,
    async embed(texts, { kind, signal }) {
      const most = Math.max(1, Math.min((await model.maxEmbeddingsPerCall) ?? Infinity, texts.length))
      const vectors: Float32Array[] = []
      for (let start = 0; start < texts.length; start += most) {
        const values = texts.slice(start, start + most)
        const chosen = providerOptions?.[kind]
        const { embeddings } = await twice(id, signal, async () =>
          model.doEmbed({ values, ...(chosen && { providerOptions: chosen }), ...(signal && { abortSignal: signal }) }),
        )
        vectors.push(...vectorsOf(id, embeddings, values.length, vectors[0]?.length))
      }
      return vectors
    },
  }
}

/** What failed for the moment is tried once more. */
async function twice<Result>(
  embedder: string,
  signal: AbortSignal | undefined,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    signal?.throwIfAborted()
    if (!isPassing(statusOf(error))) throw embeddingError(embedder, error)
  }
  await wait(PAUSE_MS, undefined, signal && { signal })
  try {
    return await work()
  } catch (error) {
    signal?.throwIfAborted()
    throw embeddingError(embedder, error)
  }
}

/** Not as its cause: the SDK's errors carry the request with them. */
function embeddingError(embedder: string, error: unknown): SearchError {
  const status = statusOf(error)
  const said = withoutSecrets(errorMessage(error), [])
  const answered = status === undefined ? 'failed' : `answered HTTP ${status}`
  return new SearchError('embedding', `${embedder} ${answered}, ${said}`, { ...(status !== undefined && { status }) })
}

function statusOf(error: unknown): number | undefined {
  const status = (error as { readonly statusCode?: unknown } | null | undefined)?.statusCode
  return typeof status === 'number' ? status : undefined
}
