import { ForewordError, type ForewordErrorOptions } from '../../../platform.ts'

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

/** What, where, and how to fix it. */
export class SubjectError extends ForewordError {
  override readonly name = 'SubjectError'
  declare readonly code: SubjectErrorCode

  constructor(
    code: SubjectErrorCode,
    message: string,
    facts?: Readonly<Record<string, unknown>>,
    options?: ForewordErrorOptions,
  ) {
    super(code, message, facts, options)
  }
}
