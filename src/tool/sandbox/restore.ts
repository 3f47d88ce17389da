import { existsSync } from 'node:fs'
import { mkdir, rmdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Clock, errorMessage } from '../../platform.ts'
import { runProgram } from '../process/run-program.ts'
import { type Bubblewrap, closedArgv } from './bubblewrap.ts'
import { closedNode } from './confine-node.ts'
import { findOwnerFiles, notMoved, ownerChanges, type OwnerFiles, type RestoredFiles } from './owner-files.ts'
import type { RestoreOrder } from './restore-program.ts'

/** A long copy is no reason to keep a result. */
const RESTORE_MS = 60_000

/**
 * Undoes what runs did to the owner's entries in a folder. This process only looks at names; what has to be changed is changed by
 * a program in a sandbox of its own, which has the folder and `place` and nothing else. Most runs leave nothing to undo: then
 * none is started.
 *
 * @throws Error if the folder is another one than before, or too many files are open
 */
export async function undoChanges(
  clock: Clock,
  bubblewrap: Bubblewrap,
  folder: string,
  before: OwnerFiles,
  place: string,
): Promise<RestoredFiles & { readonly changed: readonly string[] }> {
  const { changed, made, isRestoreNeeded } = ownerChanges(folder, before, await findOwnerFiles(folder))
  if (!isRestoreNeeded) return { changed, moved: [], faults: [] }
  try {
    await mkdir(place, { recursive: true, mode: 0o700 })
    return { changed, ...(await restoreInside(clock, bubblewrap, folder, before, place)) }
  } catch (error) {
    const why = errorMessage(error)
    const faults = made.map((path) => notMoved(path, join(place, path), why))
    return { changed, moved: [], faults: faults.length > 0 ? faults : [`nothing could be restored: ${why}`] }
  } finally {
    for (const each of [place, dirname(place), dirname(dirname(place))]) await rmdir(each).catch(() => {})
  }
}

async function restoreInside(
  clock: Clock,
  bubblewrap: Bubblewrap,
  folder: string,
  { identity, entries }: OwnerFiles,
  place: string,
): Promise<RestoredFiles> {
  const order: RestoreOrder = { folder, place, identity, entries: [...entries] }
  const source = fileURLToPath(new URL('./restore-program.ts', import.meta.url))
  const code = fileURLToPath(new URL('../..', import.meta.url))
  const program = closedNode({
    argv: [process.execPath, import.meta.url.endsWith('.ts') ? source : source.replace(/\.ts$/, '.js')],
    readable: [code, join(code, '..', 'package.json')].filter((path) => existsSync(path)),
    memoryBytes: 4 * 2 ** 30,
  })
  const { end, stdout, stderr } = await runProgram(
    clock,
    {
      argv: closedArgv(bubblewrap, { ...program, writable: [folder, place] }),
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
