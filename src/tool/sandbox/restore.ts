import { existsSync } from 'node:fs'
import { mkdir, rmdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Clock, errorMessage, lockFile, runnableFile } from '../../platform.ts'
import { runProgram } from '../process/run-program.ts'
import { type Bubblewrap, closedArgv } from './bubblewrap.ts'
import { closedNode } from './find-bubblewrap.ts'
import { findOwnerFiles, ownerChanges, type OwnerFiles } from './owner-files.ts'
import { notMoved, type RestoredFiles } from './restore-owner-files.ts'
import type { RestoreOrder } from './restore-program.ts'

/** A long copy is no reason to keep a result, ms. */
const RESTORE_MS = 60_000

/** The time between two tries to lock, ms. */
const RETRY_MS = 50

/**
 * Undoes what runs did to the owner's entries in a folder. This process only looks at names; what has to be changed is changed by
 * a program in a sandbox of its own, which has the folder and `place` and nothing else. Most runs leave nothing to undo: then
 * none is started. While another gateway tidies the same folder it waits.
 *
 * @throws Error if the folder is another one than before, or too many files are open
 */
export async function undoChanges(
  clock: Clock,
  bubblewrap: Bubblewrap,
  folder: string,
  before: OwnerFiles,
  place: string,
  /** A folder that no program can write. Absent: no other gateway is waited for. */
  locks?: string,
): Promise<RestoredFiles & { readonly changed: readonly string[] }> {
  const { changed, made, isRestoreNeeded } = ownerChanges(folder, before, await findOwnerFiles(folder))
  if (!isRestoreNeeded) return { changed, moved: [], faults: [] }
  let lock: ReturnType<typeof lockFile>
  try {
    await mkdir(place, { recursive: true, mode: 0o700 })
    lock = locks === undefined ? undefined : await lockTidying(clock, join(locks, before.identity.replace(':', '-')))
    return { changed, ...(await restoreInside(clock, bubblewrap, folder, before, place)) }
  } catch (error) {
    const why = errorMessage(error)
    const faults = made.map((path) => notMoved(path, join(place, path), why))
    return { changed, moved: [], faults: faults.length > 0 ? faults : [`nothing could be restored: ${why}`] }
  } finally {
    lock?.release()
    for (const each of [place, dirname(place), dirname(dirname(place))]) await rmdir(each).catch(() => {})
  }
}

/** `undefined` where no lock can be made, such as on a disk that is full. Throws where another gateway holds it for too long. */
async function lockTidying(clock: Clock, path: string): Promise<ReturnType<typeof lockFile>> {
  for (let waited = 0; waited < RESTORE_MS; waited += RETRY_MS) {
    try {
      const lock = lockFile(path, { waitMs: 0 })
      if (lock) return lock
    } catch {
      return undefined
    }
    await clock.sleep(RETRY_MS)
  }
  throw new Error(`another gateway has tidied the same folder for ${RESTORE_MS / 1000} seconds`)
}

async function restoreInside(
  clock: Clock,
  bubblewrap: Bubblewrap,
  folder: string,
  { identity, entries }: OwnerFiles,
  place: string,
): Promise<RestoredFiles> {
  const order: RestoreOrder = { folder, place, identity, entries: [...entries] }
  const code = fileURLToPath(new URL('../..', import.meta.url))
  const program = closedNode({
    argv: [process.execPath, fileURLToPath(runnableFile(new URL('./restore-program.ts', import.meta.url)))],
    readable: [code, join(code, '..', 'package.json')].filter((path) => existsSync(path)),
    memoryBytes: 4 * 2 ** 30,
  })
  const { end, stdout, stderr } = await runProgram(
    clock,
    {
      argv: closedArgv(bubblewrap, { ...program, writable: [folder, place], isUrgent: true }),
      folder: '/',
      environment: {},
      input: JSON.stringify(order),
    },
    { timeoutMs: RESTORE_MS, maxOutputChars: 10_000_000 },
  )
  if (end.type === 'exit' && end.code === 0) return JSON.parse(stdout.text) as RestoredFiles
  throw new Error(
    `the program that moves files ${end.type === 'timeout' ? 'took too long' : `failed: ${stderr.text.trim().slice(-300)}`}`,
  )
}
