import { SearchError, type SearchErrorCode } from '../search-error.ts'

/** Says in the index's words what SQLite reports by number, or the file system by name. Other errors come back as they are. */
export function searchError(error: unknown, path: string): unknown {
  if (!(error instanceof Error)) return error
  const number = 'errcode' in error && typeof error.errcode === 'number' ? error.errcode & 0xff : undefined
  const name = 'code' in error && typeof error.code === 'string' ? error.code : ''
  const meaning = number === undefined ? ofFiles[name] : (bySqlite[number] ?? FAILED)
  if (!meaning) return error
  const [code, message] = meaning
  return new SearchError(code, `${message} (${path}: ${error.message})`, { cause: error })
}

type Meaning = readonly [SearchErrorCode, string]

const FAILED: Meaning = ['io', 'the search index failed']
const FULL: Meaning = ['full', 'there is no room to write the search index: free some space on the disk']
const BUSY: Meaning = ['busy', 'another process holds the search index: try again when it is done']
const READONLY: Meaning = [
  'readonly',
  'the search index cannot be written: give this user the right to write the file and its folder',
]

/** By primary result code, https://sqlite.org/rescode.html. */
const bySqlite: Readonly<Record<number, Meaning>> = {
  5: BUSY,
  6: BUSY,
  8: READONLY,
  10: ['io', 'the disk failed to read or write the search index: check the disk'],
  11: ['corrupt', 'the search index is damaged: delete the file, and it is built anew'],
  13: FULL,
  14: ['io', 'the search index cannot be opened: check that the folder exists and that this user may write in it'],
  18: ['invalid', 'this is too large to index: shorten it'],
  26: ['corrupt', 'the file is no search index: move it away, or name another path'],
}

const ofFiles: Readonly<Record<string, Meaning>> = {
  ENOSPC: FULL,
  EDQUOT: FULL,
  EROFS: READONLY,
  EACCES: READONLY,
  EPERM: READONLY,
}
