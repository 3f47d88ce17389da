/** Why SQLite or the file system refused, in one word that a program can use. */
export type SqliteErrorCode =
  | 'busy'
  | 'readonly'
  | 'io'
  | 'corrupt'
  | 'full'
  | 'invalid'
  | 'conflict'
  | 'not-found'
  | 'closed'

/** What an SQLite file is to the people who read its errors. */
export interface SqliteFileKind {
  /** Such as `store`. */
  readonly noun: string
  /** What to do about a damaged file. */
  readonly repair: string
  error(code: SqliteErrorCode, message: string, options?: ErrorOptions): Error
}

/** Says in words what SQLite reports by number, or the file system by name. Other errors come back as they are. */
export function sqliteError(error: unknown, path: string, kind: SqliteFileKind): unknown {
  const result = sqliteResult(error)
  const number = result === undefined ? fileResult(error) : result & 0xff
  if (!(error instanceof Error) || number === undefined) return error
  const [code, message] = meanings(kind)[number] ?? ['io', `the ${kind.noun} failed`]
  return kind.error(code, `${message} (${path}: ${error.message})`, { cause: error })
}

/** SQLite's extended result code, or `undefined` for any other error. */
export function sqliteResult(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('errcode' in error)) return undefined
  return typeof error.errcode === 'number' ? error.errcode : undefined
}

export const SQLITE_BUSY = 5

/** What SQLite would have called a refusal of the file system. */
function fileResult(error: unknown): number | undefined {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  if (code === 'ENOSPC' || code === 'EDQUOT' || code === 'EFBIG') return 13
  return code === 'EROFS' || code === 'EACCES' || code === 'EPERM' ? 8 : undefined
}

/** By primary result code, https://sqlite.org/rescode.html. */
function meanings({ noun, repair }: SqliteFileKind): Readonly<Record<number, readonly [SqliteErrorCode, string]>> {
  const busy = ['busy', `another process holds the ${noun}: try again when it is done`] as const
  return {
    [SQLITE_BUSY]: busy,
    6: busy,
    8: ['readonly', `the ${noun} cannot be written: give this user the right to write the file and its folder`],
    10: ['io', `the disk failed to read or write the ${noun}: check the disk`],
    11: ['corrupt', `the ${noun} is damaged: ${repair}`],
    13: ['full', `there is no room to write the ${noun}: free some space on the disk`],
    14: ['io', `the ${noun} cannot be opened: check that the folder exists and that this user may write in it`],
    18: ['invalid', `this is too large for the ${noun}: shorten it`],
    19: ['conflict', 'this contradicts what is stored'],
    26: ['corrupt', `the file is no ${noun}: move it away, or name another path`],
  }
}
