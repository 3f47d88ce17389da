import { closeSync, existsSync, openSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { ForewordError } from './foreword-error.ts'
import { sleep } from './sleep.ts'

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
  const lock = await lockOf(path)
  try {
    return await task()
  } finally {
    lock.close()
  }
}

async function lockOf(path: string): Promise<DatabaseSync> {
  // Loaded late: most programs never replace a file.
  const sqlite = await import('node:sqlite')
  for (let waited = 0; ; waited += RETRY_MS) {
    const lock = tryLock(path, sqlite.DatabaseSync)
    if (lock !== undefined) return lock
    if (waited >= TIMEOUT_MS) {
      throw unlockable(path, 'is held by another program. Wait until it is done, then try again')
    }
    await sleep(RETRY_MS)
  }
}

function tryLock(path: string, Database: typeof DatabaseSync): DatabaseSync | undefined {
  // Only where there is none: closing a file that is there would drop a lock that this process holds on it.
  if (!existsSync(path)) closeSync(openSync(path, 'a', 0o600))
  let database: DatabaseSync | undefined
  try {
    database = new Database(path, { timeout: 0 })
    database.exec('begin exclusive')
    return database
  } catch (error) {
    database?.close()
    const { errcode } = error as { readonly errcode?: unknown }
    if (typeof errcode !== 'number') throw error
    if ((errcode & 0xff) === SQLITE_BUSY) return undefined
    throw unlockable(path, 'is not what Foreword puts there. Remove it, then try again')
  }
}

function unlockable(path: string, why: string): ForewordError {
  return new ForewordError('unwritable', `${basename(path)} in the folder ${basename(dirname(path))} ${why}.`, { path })
}

const SQLITE_BUSY = 5
