import { BackupError } from './backup-error.ts'

/** What the disk below `folder` refused, in words that say what to do; every other error as it is. */
export function diskFault(error: unknown, folder: string): unknown {
  if (!(error instanceof Error) || !('syscall' in error) || !('code' in error)) return error
  return new BackupError('io', sentenceFor(String(error.code), error.message, folder), { cause: error })
}

export function isDiskFull(error: unknown): boolean {
  return error instanceof Error && 'code' in error && FULL.has(String(error.code))
}

const FULL: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT'])

function sentenceFor(code: string, message: string, folder: string): string {
  if (FULL.has(code)) return `The disk is full at ${folder}. Nothing was changed. Free some space, then try again.`
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS') {
    return `${folder} cannot be written by this user. Nothing was changed. Change its permissions, or name another place.`
  }
  return `${folder} cannot be used: ${message}`
}
