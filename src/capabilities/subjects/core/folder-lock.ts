import { basename, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { type FileLock, lockFile, sqliteResult } from '../../../platform.ts'
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
    lock.release()
  }
}

async function lockOf(folder: string): Promise<FileLock> {
  for (let waited = 0; ; waited += PAUSE_MS) {
    const lock = tryLock(folder)
    if (lock !== undefined) return lock
    if (waited >= PATIENCE_MS) {
      throw unlockable(folder, 'is held by another program. Wait until it is done, then try again')
    }
    await pause(PAUSE_MS)
  }
}

function tryLock(folder: string): FileLock | undefined {
  try {
    return lockFile(join(folder, '.lock'), { waitMs: 0 })
  } catch (error) {
    if (sqliteResult(error) === undefined) throw error
    throw unlockable(folder, 'is not what Foreword puts there. Remove it, then try again')
  }
}

function unlockable(folder: string, why: string): SubjectError {
  return new SubjectError('unwritable', `.lock in the folder ${basename(folder)} ${why}.`)
}
