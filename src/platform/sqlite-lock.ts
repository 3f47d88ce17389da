import { closeSync, existsSync, openSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import { openDatabase } from './sqlite.ts'
import { SQLITE_BUSY, sqliteResult } from './sqlite-error.ts'

/** A file that this process holds. The operating system ends that with the process, `kill -9` included. */
export interface FileLock {
  release(): void
}

/**
 * Takes a file for this process; `undefined` where another one holds it for longer than `waitMs`. The lock is a
 * transaction on the file, which is made when missing. Node has no other lock that ends with its process.
 */
export function lockFile(path: string, { waitMs }: { readonly waitMs: number }): FileLock | undefined {
  // Only where there is none: closing a file that is there would drop a lock that this process holds on it.
  if (!existsSync(path)) closeSync(openSync(path, 'a', 0o600))
  const lock = begun(path, { timeout: waitMs }, 'begin exclusive')
  if (lock === undefined) return undefined
  locks.add(lock)
  return {
    release() {
      if (locks.delete(lock)) lock.close()
    },
  }
}

/** Whether another process, or this one, holds the file. Two that look at once do not take each other for a holder. */
export function isFileLocked(path: string): boolean {
  if (!existsSync(path)) return false
  const lock = begun(path, { readOnly: true, timeout: 0 }, 'select count(*) from sqlite_schema')
  lock?.close()
  return lock === undefined
}

/** A lock that nothing refers to would be collected, and with it the claim. */
const locks = new Set<DatabaseSync>()

function begun(
  path: string,
  options: { readonly readOnly?: boolean; readonly timeout: number },
  sql: string,
): DatabaseSync | undefined {
  let database: DatabaseSync | undefined
  try {
    database = openDatabase(path, options)
    database.exec(sql)
    return database
  } catch (error) {
    database?.close()
    if (((sqliteResult(error) ?? 0) & 0xff) === SQLITE_BUSY) return undefined
    throw error
  }
}
