import { ForewordError } from '../platform.ts'

/** Why an index or an embedding model failed. */
export type SearchErrorCode =
  | 'closed'
  /** Another process held the index for longer than the busy time-out. */
  | 'busy'
  /** The file is damaged, or is not an index. */
  | 'corrupt'
  | 'full'
  | 'io'
  | 'not-synced'
  | 'readonly'
  | 'not-found'
  /** The document cannot be indexed. */
  | 'invalid'
  /** Another process changed the same document at the same time. */
  | 'conflict'
  /** The embedding model could not be reached, refused, or returned something other than vectors. */
  | 'embedding'

/** An index or an embedding model failed. The message names the place and the remedy. It contains no document text and no secret. */
export class SearchError extends ForewordError {
  override readonly name = 'SearchError'
  declare readonly code: SearchErrorCode
  override readonly expose = false
  /** HTTP status of the embedding service. */
  readonly status: number | undefined

  constructor(code: SearchErrorCode, message: string, options?: ErrorOptions & { readonly status?: number }) {
    super(code, message, {}, options)
    this.status = options?.status
  }
}
