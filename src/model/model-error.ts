import { ForewordError, type ForewordErrorOptions } from '../platform.ts'

/** Why a model call failed, in one word that a program can use. */
export type ModelErrorCode =
  /** The prompt is larger than the model or server takes. */
  | 'context-overflow'
  /** The server read less than was sent and answered all the same. */
  | 'prompt-truncated'
  | 'rate-limit'
  | 'quota'
  | 'auth'
  | 'model-not-found'
  | 'bad-request'
  /** A good status, and no answer of a model: a page, a document, or nothing at all. */
  | 'unexpected-answer'
  /** A parameter of the caller has no place on the wire of this model; `facts.parameter` names it. */
  | 'unsupported-parameter'
  | 'server'
  /** Nothing came within the time limit. */
  | 'timeout'
  /** The server cannot be reached, or the stream broke off. */
  | 'network'
  | 'content-filter'
  | 'cancelled'

/** What is known of a failed call, for programs. */
export type ModelErrorFacts = {
  readonly provider: string
  readonly model: string
  readonly status?: number
  readonly retryAfterMs?: number
  /** What the provider itself said, shortened; never a key. */
  readonly detail?: string
  /** Of an overflow, where the provider told them: the most it takes, and what it was sent. Tokens. */
  readonly limit?: number
  readonly sent?: number
  /** By OpenAI's name, such as `seed`. */
  readonly parameter?: string
}

/** A failed model call. The message says what happened and how to fix it. */
export class ModelError extends ForewordError {
  override readonly name = 'ModelError'
  declare readonly code: ModelErrorCode
  declare readonly facts: ModelErrorFacts

  constructor(code: ModelErrorCode, message: string, facts: ModelErrorFacts, options?: ForewordErrorOptions) {
    super(code, message, facts, options)
  }
}
