import { ForewordError, type ForewordErrorOptions } from '../../platform.ts'
import { notedDatabase } from '../../runtime.ts'

/** Why a backup, a restore or a compaction was not done, in one word for programs. */
export type BackupErrorCode =
  | 'exists'
  | 'no-archive'
  | 'damaged'
  | 'newer'
  | 'not-signed'
  | 'not-empty'
  | 'io'
  | 'elsewhere'
  | 'stopped'

/** The message names what is wrong, where, and how to fix it. */
export class BackupError extends ForewordError {
  override readonly name = 'BackupError'
  declare readonly code: BackupErrorCode

  constructor(code: BackupErrorCode, message: string, options?: ForewordErrorOptions) {
    super(code, message, {}, options)
  }
}

/**
 * Refuses what works on the sessions of a home as a file where a database has them: an archive would lack them, and what the file does not
 * refer to is needed by the database.
 *
 * @throws BackupError `elsewhere`
 */
export async function refuseDatabase(home: string): Promise<void> {
  const database = await notedDatabase(home)
  if (database === undefined) return
  throw new BackupError('elsewhere', `The sessions of ${home} are in ${database}, and nothing was changed.`, {
    hint: 'Save the database with `pg_dump`, and copy the folder of the home. Where the home uses no database any more, remove its file data/database.',
  })
}

/** An error of the disk below `folder` as a `BackupError` that names a remedy; every other error unchanged. */
export function diskFault(error: unknown, folder: string): unknown {
  if (!(error instanceof Error) || !('syscall' in error) || !('code' in error)) return error
  return new BackupError('io', faultMessage(String(error.code), error.message, folder), { cause: error })
}

export function isDiskFull(error: unknown): boolean {
  return error instanceof Error && 'code' in error && FULL.has(String(error.code))
}

const FULL: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT'])

function faultMessage(code: string, message: string, folder: string): string {
  if (FULL.has(code)) return `The disk is full at ${folder}. Nothing was changed. Free some space, then try again.`
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS') {
    return `You may not write to ${folder}. Nothing was changed. Change its permissions, or name another folder.`
  }
  return `Cannot use ${folder}: ${message}`
}
