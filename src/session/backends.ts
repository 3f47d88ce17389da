import type { SqliteStoreOptions } from './sqlite/connection.ts'
import type { SessionStore } from './store/session-store.ts'

/**
 * Opens the store in a file, makes it when missing, and brings its tables up to date. One process writes, any number may
 * read (`readOnly`) at the same time. What it takes to do so is loaded when it is needed: a command that only asks the
 * running gateway opens no store.
 *
 * @throws StoreError `newer`, `older`, `corrupt`, `busy`, `readonly`, `not-found` (only when `readOnly`), `io`
 */
export async function openSqliteStore(options: SqliteStoreOptions): Promise<SessionStore> {
  const backend = await import('./sqlite/open-sqlite-store.ts')
  return backend.openSqliteStore(options)
}
