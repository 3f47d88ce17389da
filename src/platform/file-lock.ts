import { closeSync, existsSync, openSync } from 'node:fs'
import { basename, dirname, resolve } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { ForewordError } from './foreword-error.ts'
import type { Clock } from './clock.ts'
import { keyedQueue } from './serial-queue.ts'
import { openDatabase, SQLITE_BUSY, sqliteResult } from './sqlite.ts'

/** The longest wait for other processes, and the time between two tries, ms. */
const TIMEOUT_MS = 10_000
const RETRY_MS = 15

/**
 * Runs a task while no other task, in this process or another one, holds the same lock file. The lock is a transaction on
 * that file, such as `.lock` in the folder that the task changes: the operating system ends it with the process, so a crash
 * leaves no lock behind. Tasks of this process run in order, however long each takes; other processes are asked again.
 *
 * @throws ForewordError `unwritable` where another process holds it for longer than ten seconds, or the file is something else; and
 *   what the task and the system throw
 */
export function withFileLock<Value>(clock: Clock, path: string, task: () => Promise<Value>): Promise<Value> {
  return queue.add(resolve(path), async () => {
    const lock = await acquireLock(clock, path)
    try {
      return await task()
    } finally {
      lock.release()
    }
  })
}

const queue = keyedQueue<string>()

async function acquireLock(clock: Clock, path: string): Promise<FileLock> {
  for (let waited = 0; ; waited += RETRY_MS) {
    const lock = tryLock(path)
    if (lock !== undefined) return lock
    if (waited >= TIMEOUT_MS) {
      throw lockError(path, 'is locked by another program. Wait until it is done, then try again')
    }
    await clock.sleep(RETRY_MS)
  }
}

function tryLock(path: string): FileLock | undefined {
  try {
    return lockFile(path, { waitMs: 0 })
  } catch (error) {
    const result = sqliteResult(error)
    if (result === undefined) throw error
    if (NO_ROOM.has(result & 0xff)) {
      throw lockError(path, 'cannot be written. Free some space on the disk, or check it, then try again')
    }
    throw lockError(path, 'is not a lock file of Foreword. Remove it, then try again')
  }
}

/** `SQLITE_IOERR` and `SQLITE_FULL`: a lock is a transaction, which needs some bytes of the disk. */
const NO_ROOM: ReadonlySet<number> = new Set([10, 13])

function lockError(path: string, why: string): ForewordError {
  return new ForewordError('unwritable', `${basename(path)} in the folder ${basename(dirname(path))} ${why}.`, { path })
}

/** A lock that this process holds. The operating system ends it with the process, `kill -9` included. */
export interface FileLock {
  release(): void
}

/**
 * Locks a file for this process; `undefined` where another one holds it for longer than `waitMs`. The lock is a transaction
 * on the file, which is created when missing. Node has no other lock that ends with its process.
 */
export function lockFile(path: string, { waitMs }: { readonly waitMs: number }): FileLock | undefined {
  // Only where it is missing: closing an existing file would release a lock that this process holds on it.
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

/** Whether this process or another one holds the lock. Two processes that check at the same time do not see each other as a holder. */
export function isFileLocked(path: string): boolean {
  if (!existsSync(path)) return false
  const lock = tryBegin(path, { readOnly: true, timeout: 0 }, 'select count(*) from sqlite_schema')
  lock?.close()
  return lock === undefined
}

/** Without this reference the garbage collector would close the lock. */
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
