import { StoreError, type StoreErrorCode } from '../store-error.ts'

/** Says in the store's words what SQLite reports by number. What is no error of SQLite's comes back as it is. */
export function storeError(error: unknown, path: string): unknown {
  const number = resultCode(error)
  if (number === undefined) return error
  const [code, message] = meanings[number & 0xff] ?? ['io', 'the store failed']
  const said = error instanceof Error ? error.message : String(error)
  return new StoreError(code, `${message} (${path}: ${said})`, { cause: error })
}

/** SQLite's extended result code, or `undefined` for any other error. */
export function resultCode(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('errcode' in error)) return undefined
  return typeof error.errcode === 'number' ? error.errcode : undefined
}

/** By primary result code, https://sqlite.org/rescode.html. */
const meanings: Readonly<Record<number, readonly [StoreErrorCode, string]>> = {
  5: ['busy', 'another process holds the store: try again when it is done'],
  6: ['busy', 'another process holds the store: try again when it is done'],
  8: ['readonly', 'the store cannot be written: give this user the right to write the file and its folder'],
  10: ['io', 'the disk failed to read or write the store: check the disk'],
  11: ['corrupt', 'the store is damaged: restore it from a backup'],
  13: ['full', 'there is no room to write: free some space on the disk'],
  14: ['io', 'the store cannot be opened: check that the folder exists and that this user may write in it'],
  18: ['invalid', 'this is too large to store: shorten it'],
  19: ['conflict', 'this contradicts what is stored'],
  26: ['corrupt', 'the file is no store: move it away, or name another path'],
}
