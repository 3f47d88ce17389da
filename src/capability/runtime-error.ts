import type { ModelErrorCode } from '../model.ts'
import { ForewordError, type ForewordErrorOptions } from '../platform.ts'

/** For programs. Those of a model are passed on as they are. */
export type RuntimeErrorCode =
  | 'invalid-input'
  /** The facts say what: `session`, `turn`, `call`, `tool`, `approval`, `file`, `subject`, or `kind` and `id`. */
  | 'not-found'
  /** Something of this name exists already. */
  | 'exists'
  /** The scope of the caller's token does not include it; the facts name the `scope` that does. */
  | 'forbidden'
  /** Somebody changed it between the look and the change. */
  | 'changed'
  /** Somebody has decided already, or about something else. */
  | 'decided'
  /** The idempotency key belongs to other input. */
  | 'key-reused'
  | 'context-overflow'
  /** A text that a call or the log refers to is not in the store any more. */
  | 'missing-content'
  | 'storage-full'
  | 'storage'
  /** Rows of the store are not as they were written. */
  | 'storage-damaged'
  | 'closing'
  /** The database has not answered for the lease, so that another gateway may work now. */
  | 'standby'
  /** As many turns are open as may be; nothing was stored. The same may succeed later. */
  | 'overloaded'
  /** As many files are there, or as many bytes of them, as may be in this home; nothing was stored. */
  | 'over-quota'
  /** The model gave no answer where one is required. */
  | 'no-answer'
  /** The call could have cost more than is left of a budget, and did not leave. */
  | 'over-budget'
  /** Foreword failed inside. */
  | 'internal'
  | ModelErrorCode

export class RuntimeError extends ForewordError {
  override readonly name = 'RuntimeError'
  declare readonly code: RuntimeErrorCode

  constructor(
    code: RuntimeErrorCode,
    message: string,
    facts?: Readonly<Record<string, unknown>>,
    options?: ForewordErrorOptions,
  ) {
    super(code, message, facts, options)
  }
}
