import { closeSync, existsSync, openSync } from 'node:fs'
import { basename, join } from 'node:path'
import { type DatabaseSync } from 'node:sqlite'
import { setTimeout as pause } from 'node:timers/promises'
import { SubjectError } from './subject-error.ts'

/** Longest wait for others, and the pause between two looks, ms. */
const PATIENCE_MS = 10_000
const PAUSE_MS = 15

/**
 * Runs a task while nobody else, in this process or another one, runs one for the same folder. The lock is a transaction
 * on a file `.lock` in the folder: the operating system ends it with the process, so none is left behind by a crash.
 *
 * @throws SubjectError `unwritable` where others hold it for too long, and what the task and the system throw
 */
export async function withFolderLock<Value>(folder: string, task: () => Promise<Value>): Promise<Value> {
  const lock = await lockOf(folder)
  try {
    return await task()
  } finally {
    lock.close()
  }
}

interface Lock {
  close(): void
}

async function lockOf(folder: string): Promise<Lock> {
  const path = join(folder, '.lock')
  // Loaded late: most programs never replace a file.
  const sqlite = await import('node:sqlite')
  for (let waited = 0; ; waited += PAUSE_MS) {
    const lock = tryLock(folder, path, sqlite.DatabaseSync)
    if (lock !== undefined) return lock
    if (waited >= PATIENCE_MS) {
      throw unlockable(folder, 'is held by another program. Wait until it is done, then try again')
    }
    await pause(PAUSE_MS)
  }
}

function tryLock(folder: string, path: string, Database: typeof DatabaseSync): Lock | undefined {
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
    throw unlockable(folder, 'is not what Foreword puts there. Remove it, then try again')
  }
}

function unlockable(folder: string, why: string): SubjectError {
  return new SubjectError('unwritable', `.lock in the folder ${basename(folder)} ${why}.`)
}

const SQLITE_BUSY = 5
