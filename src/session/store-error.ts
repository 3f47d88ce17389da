import { ForewordError, type ForewordErrorOptions, sqliteError, type SqliteFileKind } from '../platform.ts'

/** Why the store refused or failed, for programs. */
export type StoreErrorCode =
  /** The disk, or the size that the store may have, is full. */
  | 'full'
  /** Another process held the store for longer than the busy timeout. */
  | 'busy'
  /** The file is damaged, or is not a store. */
  | 'corrupt'
  /** The disk failed to read or write. */
  | 'io'
  /** The disk did not confirm what was written. The store takes nothing more until it is opened again. */
  | 'not-synced'
  /** Written by a newer version of Foreword. */
  | 'newer'
  /** Written before 0.2.0; or by an older version, and opened for reading only, so that it cannot be brought up to date. */
  | 'older'
  | 'readonly'
  | 'not-found'
  /** Something with this name exists, or has already ended. */
  | 'conflict'
  /** The value cannot be stored. */
  | 'invalid'
  /** The value exceeds the limit, bytes. */
  | 'too-large'
  /** Another gateway runs on this home. */
  | 'claimed'
  /** The home is on a file system that other machines reach, too. */
  | 'network-home'
  /** Another gateway has taken the store over, since this one gave no sign of life. */
  | 'taken-over'
  | 'closed'

/** A failure of the store. The message says what failed, where, and how to fix it; it never quotes the content of a session. */
export class StoreError extends ForewordError {
  override readonly name = 'StoreError'
  declare readonly code: StoreErrorCode
  override readonly expose = false

  constructor(code: StoreErrorCode, message: string, options?: ForewordErrorOptions) {
    super(code, message, {}, options)
  }
}

/** How errors of SQLite files name the store. */
export const storeFile: SqliteFileKind = {
  noun: 'store',
  repair: 'bring back your last backup with `foreword restore FILE --replace`',
  error: (code, message, options) => new StoreError(code, message, options),
}

/** Turns an error of SQLite or of the file system into a `StoreError`; returns any other error unchanged. */
export function storeError(error: unknown, path: string): unknown {
  return sqliteError(error, path, storeFile)
}
