import type { EmbeddingModelV4 } from '@ai-sdk/provider'
import { type Clock, defined, errorMessage, redactSecrets, systemClock } from '../../platform.ts'
import type { Embedder } from '../search-engine.ts'
import { SearchError } from '../search-error.ts'
import { DEFAULT_BATCH, isTemporary, RETRY_MS } from './http-embedder.ts'
import { checkedVectors } from './vectors.ts'

type ProviderOptions = Parameters<EmbeddingModelV4['doEmbed']>[0]['providerOptions']

export interface AiSdkEmbedderOptions {
  /** Provider options for passages and for questions, for models that tell them apart. */
  readonly providerOptions?: { readonly document: ProviderOptions; readonly query: ProviderOptions }
  /** The most texts of one call; the model's own limit applies too. 32 unless given. */
  readonly batch?: number
  /** That of this machine unless given. */
  readonly clock?: Clock
}

/** An embedder from any embedding model of the AI SDK. Its errors repeat neither keys nor texts. */
export function aiSdkEmbedder(model: EmbeddingModelV4, options: AiSdkEmbedderOptions = {}): Embedder {
  const { providerOptions, batch = DEFAULT_BATCH, clock = systemClock } = options
  const id = `${model.provider}/${model.modelId}${providerOptions ? ` ${JSON.stringify(providerOptions)}` : ''}`
  return {
    id,
    batch,
    async embed(texts, { kind, signal }) {
      const most = Math.max(1, Math.min((await model.maxEmbeddingsPerCall) ?? Infinity, texts.length))
      const vectors: Float32Array[] = []
      for (let start = 0; start < texts.length; start += most) {
        const values = texts.slice(start, start + most)
        const call = { values, ...defined({ providerOptions: providerOptions?.[kind], abortSignal: signal }) }
        const { embeddings } = await withRetry(clock, id, signal, async () => model.doEmbed(call))
        vectors.push(...checkedVectors(id, embeddings, values.length, vectors[0]?.length))
      }
      return vectors
    },
  }
}

/** Tries once more after a temporary failure. */
async function withRetry<Result>(
  clock: Clock,
  embedder: string,
  signal: AbortSignal | undefined,
  work: () => Promise<Result>,
): Promise<Result> {
  for (let retried = false; ; retried = true) {
    try {
      return await work()
    } catch (error) {
      signal?.throwIfAborted()
      if (retried || !isTemporary(httpStatus(error))) throw embeddingError(embedder, error)
    }
    await clock.sleep(RETRY_MS, signal)
    signal?.throwIfAborted()
  }
}

/** Without a cause: the SDK's errors carry the request with them. */
function embeddingError(embedder: string, error: unknown): SearchError {
  const status = httpStatus(error)
  const reason = redactSecrets(errorMessage(error), [])
  const what = status === undefined ? 'failed' : `answered HTTP ${status}`
  return new SearchError('embedding', `${embedder} ${what}, ${reason}`, defined({ status }))
}

function httpStatus(error: unknown): number | undefined {
  const status = (error as { readonly statusCode?: unknown } | null | undefined)?.statusCode
  return typeof status === 'number' ? status : undefined
}
