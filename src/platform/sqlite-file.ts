import { existsSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import { openDatabase, openSqlite, sqliteError, type SqliteFileKind } from './sqlite.ts'

/** How long to wait for a process that is writing, ms. */
const BUSY_TIMEOUT_MS = 30_000

/** Opens an SQLite file for reading, runs `work`, and closes the file. Another process may write meanwhile. Failures are errors of its kind. */
export function readSqliteFile<Result>(
  path: string,
  kind: SqliteFileKind,
  work: (database: DatabaseSync) => Result,
): Result {
  if (!existsSync(path)) throw kind.error('not-found', `there is no ${kind.noun} at ${path}`)
  let database: DatabaseSync | undefined
  try {
    database = openDatabase(path, { readOnly: true, timeout: BUSY_TIMEOUT_MS })
    return work(database)
  } catch (error) {
    throw sqliteError(error, path, kind)
  } finally {
    database?.close()
  }
}

/**
 * Writes a consistent copy of an SQLite file, while another process may continue to write. The copy is one file without free
 * pages. This process is blocked meanwhile.
 */
export function copySqliteFile(path: string, target: string, kind: SqliteFileKind): void {
  readSqliteFile(path, kind, (database) => database.prepare('vacuum into ?').run(target))
}

/** The first fault of an SQLite file, as SQLite reports it; `undefined` where it has none. */
export function sqliteFileFault(path: string, kind: SqliteFileKind): string | undefined {
  return readSqliteFile(path, kind, (database) => {
    const row = database.prepare('pragma quick_check(1)').get()
    const found = row === undefined ? 'ok' : String(Object.values(row)[0])
    return found === 'ok' ? undefined : found
  })
}

/** Returns the free pages of an SQLite file to the disk. No other process may use the file meanwhile. */
export function compactSqliteFile(path: string, kind: SqliteFileKind): void {
  const connection = openSqlite({ path, kind })
  try {
    connection.execute('vacuum; pragma wal_checkpoint(truncate);')
  } finally {
    connection.close()
  }
}
