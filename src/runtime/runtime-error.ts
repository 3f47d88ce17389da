import type { ModelErrorCode } from '../model.ts'

/** For programs. Those of a model are passed on as they are. */
export type RuntimeErrorCode =
  | 'invalid-input'
  | 'no-such-session'
  | 'no-such-turn'
  | 'no-such-call'
  | 'no-such-tool'
  | 'no-such-approval'
  | 'no-such-record'
  | 'no-such-file'
  | 'no-such-subject'
  /** Somebody changed it between the look and the change. */
  | 'record-changed'
  /** Somebody has decided already, or about something else. */
  | 'approval-changed'
  /** The idempotency key belongs to other input. */
  | 'key-reused'
  | 'context-overflow'
  /** A text that a call or the log refers to is not in the store any more. */
  | 'missing-content'
  | 'storage-full'
  | 'storage'
  | 'closing'
  /** The model said nothing where it had to answer. */
  | 'no-answer'
  /** Foreword failed inside. */
  | 'internal'
  | ModelErrorCode

/** What, where, and how to mend it. */
export class RuntimeError extends Error {
  override readonly name = 'RuntimeError'
  readonly code: RuntimeErrorCode
  readonly facts: Readonly<Record<string, unknown>>

  constructor(
    code: RuntimeErrorCode,
    message: string,
    facts: Readonly<Record<string, unknown>> = {},
    options?: ErrorOptions,
  ) {
    super(message, options)
    this.code = code
    this.facts = facts
  }
}
