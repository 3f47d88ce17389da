import { ForewordError } from '../platform.ts'

/** Why an index or an embedding model refused or failed, in one word that a program can use. */
export type SearchErrorCode =
  | 'closed'
  /** Another process held the index for longer than the busy time-out. */
  | 'busy'
  /** The file is damaged, or is no index. */
  | 'corrupt'
  | 'full'
  | 'io'
  | 'readonly'
  | 'not-found'
  /** What was handed in cannot be indexed. */
  | 'invalid'
  /** Another process changed the same document meanwhile. */
  | 'conflict'
  /** The embedding model could not be reached, refused, or gave what are no vectors. */
  | 'embedding'

/** The message says what, where and how to fix it. It quotes no document, and no secret. */
export class SearchError extends ForewordError {
  override readonly name = 'SearchError'
  declare readonly code: SearchErrorCode
  override readonly expose = false
  /** What an embedding service answered with. */
  readonly status: number | undefined

  constructor(code: SearchErrorCode, message: string, options?: ErrorOptions & { readonly status?: number }) {
    super(code, message, {}, options)
    this.status = options?.status
  }
}
