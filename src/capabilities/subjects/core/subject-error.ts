/** For programs. `not-found` is the one that BEHAVIOURS §4 names. */
export type SubjectErrorCode =
  | 'not-found'
  | 'invalid-input'
  /** A subject of that id is there already. */
  | 'exists'
  /** Somebody changed it between the look and the change. */
  | 'changed'
  /** A proposal was decided already, or is not the one that was shown. */
  | 'decided'
  /** A file or folder cannot be written; the message says which and why. */
  | 'unwritable'

/** What, where, and how to mend it. */
export class SubjectError extends Error {
  override readonly name = 'SubjectError'
  readonly code: SubjectErrorCode
  readonly details: Readonly<Record<string, unknown>>

  constructor(
    code: SubjectErrorCode,
    message: string,
    details: Readonly<Record<string, unknown>> = {},
    options?: ErrorOptions,
  ) {
    super(message, options)
    this.code = code
    this.details = details
  }
}
