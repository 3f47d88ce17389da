import { sqliteError, type SqliteFileKind } from '../../platform.ts'
import { StoreError } from '../store-error.ts'

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
