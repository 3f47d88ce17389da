import { closeSync, existsSync, openSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { ForewordError } from './foreword-error.ts'
import { sleep } from './timers.ts'
import { openDatabase, SQLITE_BUSY, sqliteResult } from './sqlite.ts'

/** Longest wait for others, and the time between two tries, ms. */
const TIMEOUT_MS = 10_000
const RETRY_MS = 15

/**
 * Runs a task while nobody else, in this process or another one, runs one with the same lock file. The lock is a transaction
 * on that file, such as `.lock` in the folder that the task changes: the operating system ends it with the process, so none
 * is left behind by a crash.
 *
 * @throws ForewordError `unwritable` where others hold it for longer than ten seconds, or the file is something else; and
 *   what the task and the system throw
 */
export async function withFileLock<Value>(path: string, task: () => Promise<Value>): Promise<Value> {
  const lock = await acquireLock(path)
  try {
    return await task()
  } finally {
    lock.release()
  }
}

async function acquireLock(path: string): Promise<FileLock> {
  for (let waited = 0; ; waited += RETRY_MS) {
    const lock = tryLock(path)
    if (lock !== undefined) return lock
    if (waited >= TIMEOUT_MS) {
      throw lockError(path, 'is held by another program. Wait until it is done, then try again')
    }
    await sleep(RETRY_MS)
  }
}

function tryLock(path: string): FileLock | undefined {
  try {
    return lockFile(path, { waitMs: 0 })
  } catch (error) {
    if (sqliteResult(error) === undefined) throw error
    throw lockError(path, 'is not what Foreword puts there. Remove it, then try again')
  }
}

function lockError(path: string, why: string): ForewordError {
  return new ForewordError('unwritable', `${basename(path)} in the folder ${basename(dirname(path))} ${why}.`, { path })
}

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
  const lock = tryBegin(path, { timeout: waitMs }, 'begin exclusive')
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
  const lock = tryBegin(path, { readOnly: true, timeout: 0 }, 'select count(*) from sqlite_schema')
  lock?.close()
  return lock === undefined
}

/** A lock that nothing refers to would be collected, and with it the claim. */
const locks = new Set<DatabaseSync>()

function tryBegin(
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
