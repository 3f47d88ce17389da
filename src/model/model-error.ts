import { ForewordError, type ForewordErrorOptions } from '../platform.ts'

export type ModelErrorCode =
  /** The prompt is larger than the model or server accepts. */
  | 'context-overflow'
  /** The server truncated the prompt and answered anyway. */
  | 'prompt-truncated'
  | 'rate-limit'
  | 'quota'
  | 'auth'
  | 'model-not-found'
  | 'bad-request'
  /** A successful response that is not an answer of a model: a web page, a document, or nothing. */
  | 'unexpected-answer'
  /** The model does not support a parameter; `facts.parameter` names it. */
  | 'unsupported-parameter'
  | 'server'
  /** No answer came before the timeout. */
  | 'timeout'
  /** The server cannot be reached, or the stream broke off. */
  | 'network'
  | 'content-filter'
  | 'cancelled'

export type ModelErrorFacts = {
  readonly provider: string
  readonly model: string
  readonly status?: number
  readonly retryAfterMs?: number
  /** Message of the provider, shortened and without keys. */
  readonly detail?: string
  /** Of an overflow, if reported: the limit and the size of the prompt, tokens. */
  readonly limit?: number
  /** Nothing listens at its address, which is one of this machine. */
  readonly refused?: true
  /** The limit of an overflow is one of tokens per minute. */
  readonly perMinute?: true
  readonly sent?: number
  /** OpenAI's name of the parameter, such as `seed`. */
  readonly parameter?: string
}

/** A failed model call. The message names what happened and how to fix it. */
export class ModelError extends ForewordError {
  override readonly name = 'ModelError'
  declare readonly code: ModelErrorCode
  declare readonly facts: ModelErrorFacts

  constructor(code: ModelErrorCode, message: string, facts: ModelErrorFacts, options?: ForewordErrorOptions) {
    super(code, message, facts, options)
  }
}
