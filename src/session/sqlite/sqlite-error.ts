import { errorMessage } from '../../platform.ts'
import { StoreError, type StoreErrorCode } from '../store-error.ts'

/** Says in the store's words what SQLite reports by number, or the file system by name. Other errors come back as they are. */
export function storeError(error: unknown, path: string): unknown {
  const number = resultCode(error)
  const meaning = number === undefined ? meanings[fileResultCode(error)] : (meanings[number & 0xff] ?? FAILED)
  if (meaning === undefined) return error
  const [code, message] = meaning
  const said = errorMessage(error)
  return new StoreError(code, `${message} (${path}: ${said})`, { cause: error })
}

/** SQLite's extended result code, or `undefined` for any other error. */
export function resultCode(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('errcode' in error)) return undefined
  return typeof error.errcode === 'number' ? error.errcode : undefined
}

/** What SQLite would have called a refusal of the file system; -1 for none that is known. */
function fileResultCode(error: unknown): number {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  if (code === 'ENOSPC' || code === 'EDQUOT' || code === 'EFBIG') return 13
  return code === 'EROFS' || code === 'EACCES' || code === 'EPERM' ? 8 : -1
}

const FAILED: readonly [StoreErrorCode, string] = ['io', 'the store failed']

/** By primary result code, https://sqlite.org/rescode.html. */
const meanings: Readonly<Record<number, readonly [StoreErrorCode, string]>> = {
  5: ['busy', 'another process holds the store: try again when it is done'],
  6: ['busy', 'another process holds the store: try again when it is done'],
  8: ['readonly', 'the store cannot be written: give this user the right to write the file and its folder'],
  10: ['io', 'the disk failed to read or write the store: check the disk'],
  11: ['corrupt', 'the store is damaged: bring back your last backup with `foreword restore FILE --replace`'],
  13: ['full', 'there is no room to write: free some space on the disk'],
  14: ['io', 'the store cannot be opened: check that the folder exists and that this user may write in it'],
  18: ['invalid', 'this is too large to store: shorten it'],
  19: ['conflict', 'this contradicts what is stored'],
  26: ['corrupt', 'the file is no store: move it away, or name another path'],
}
