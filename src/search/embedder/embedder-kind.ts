import type { Embedder } from '../engine.ts'
import type { EmbeddingService } from './http-embedder.ts'

/** A kind of embedding service that a capability contributes. `search.embedding.kind` of `config.json` chooses one. */
export interface EmbedderKind {
  /** Unique, such as `ollama`. */
  readonly kind: string
  /** The kind has no usual address: `search.embedding.baseURL` is required. */
  readonly needsBaseURL?: true
  /** Opens the embedder of one model. Sends no request. */
  open(settings: EmbedderSettings): Embedder | Promise<Embedder>
}

/** What is configured about an embedding model. `baseURL` is there where the kind requires it. */
export interface EmbedderSettings extends Pick<
  EmbeddingService,
  'model' | 'apiKey' | 'dimensions' | 'prefixes' | 'clock'
> {
  readonly baseURL?: string
  readonly environment: Readonly<Record<string, string | undefined>>
}
