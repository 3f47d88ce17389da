import { ForewordError, sqliteError, type SqliteFileKind } from '../platform.ts'

/** Why the store refused or failed, in one word that a program can use. */
export type StoreErrorCode =
  /** The disk, or the size that the store may have, is full. */
  | 'full'
  /** Another process held the store for longer than the busy time-out. */
  | 'busy'
  /** The file is damaged, or is no store. */
  | 'corrupt'
  /** The disk failed to read or write. */
  | 'io'
  /** Written by a newer version of Foreword. */
  | 'newer'
  /** Written by an older version, and opened for reading only, so that it cannot be brought up to date. */
  | 'older'
  | 'readonly'
  | 'not-found'
  /** Something of this name exists, or has already ended. */
  | 'conflict'
  /** What was handed in cannot be stored. */
  | 'invalid'
  /** It has more bytes than it may have. */
  | 'too-large'
  /** Another gateway runs on this home. */
  | 'claimed'
  /** This kind of store cannot do what was asked. */
  | 'unsupported'
  | 'closed'

/** A store that refused or failed. The message says what, where and how to fix it; it never quotes what was said in a session. */
export class StoreError extends ForewordError {
  override readonly name = 'StoreError'
  declare readonly code: StoreErrorCode
  override readonly expose = false

  constructor(code: StoreErrorCode, message: string, options?: ErrorOptions) {
    super(code, message, {}, options)
  }
}

/** The store, as its errors speak of it. */
export const storeFile: SqliteFileKind = {
  noun: 'store',
  repair: 'bring back your last backup with `foreword restore FILE --replace`',
  error: (code, message, options) => new StoreError(code, message, options),
}

/** Says in the store's words what SQLite reports by number, or the file system by name. Other errors come back as they are. */
export function storeError(error: unknown, path: string): unknown {
  return sqliteError(error, path, storeFile)
}
