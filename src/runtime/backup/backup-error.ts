import { ForewordError, type ForewordErrorOptions } from '../../platform.ts'

/** Why a backup, a restore or a compaction was not done, in one word for programs. */
export type BackupErrorCode =
  /** The archive exists already. */
  | 'exists'
  /** It is no archive of Foreword. */
  | 'no-archive'
  /** The archive was cut off or changed. */
  | 'damaged'
  /** A newer version of Foreword wrote it. */
  | 'newer'
  /** The home holds something that would be replaced. */
  | 'not-empty'
  /** The disk refused. */
  | 'io'
  | 'stopped'

/** The message says what, where and how to fix it. */
export class BackupError extends ForewordError {
  override readonly name = 'BackupError'
  declare readonly code: BackupErrorCode

  constructor(code: BackupErrorCode, message: string, options?: ForewordErrorOptions) {
    super(code, message, {}, options)
  }
}
