import { randomUUID } from 'node:crypto'
import {
  constants,
  copyFile,
  lstat,
  mkdir,
  open,
  readdir,
  readlink,
  rename,
  rmdir,
  symlink,
  unlink,
} from 'node:fs/promises'
import { basename, dirname, join, relative } from 'node:path'
import { type HeldFolder, heldMessage, holdRealFolder } from '../../platform.ts'
import { ANOTHER_FOLDER, type OwnerFiles, TOO_MANY_FOLDERS } from './owner-files.ts'
import { type FolderPath, MOST_LEVELS, searchFolder } from './owner-search.ts'

/** What became of what a program did to the owner's entries. */
export interface RestoredFiles {
  /** Paths within the folder, of what was moved out of it. */
  readonly moved: readonly string[]
  /** What could not be moved or made again, and why: clauses. */
  readonly faults: readonly string[]
}

/**
 * Undoes what a run did to the owner's entries, in a process that has nothing but the folder and `place` (`restore-program.ts`).
 * What the run made gets a name that nothing obeys and is moved to `place`, so that nothing is lost; a pipe or a socket holds
 * nothing and is removed. A link that it replaced is made again. What was only moved with its folder was there before. Works in
 * folders that it holds open, and makes a link only in the very folder that had it.
 *
 * @throws Error if the folder is another one than before, or too many files are open
 */
export async function restoreOwnerFiles(
  folder: string,
  before: Pick<OwnerFiles, 'identity' | 'entries'>,
  place: string,
): Promise<RestoredFiles> {
  const moved: string[] = []
  const faults: string[] = []
  const known = new Set([...before.entries.values()].map(({ identity }) => identity))
  const kept = new Set<string>()
  const root = await holdRealFolder(folder)
  try {
    if ((await root.identity()) !== before.identity) throw new Error(ANOTHER_FOLDER)
    const isComplete = await searchFolder(root, folder, async ({ held, folders, name, level, found }) => {
      if (!found) return
      const path = join(...folders.map((each) => each.name), name)
      if (level === 'asks') return
      kept.add(found.identity)
      if (known.has(found.identity)) return
      const target = join(place, path)
      try {
        await mkdir(dirname(target), { recursive: true, mode: 0o700 })
        if (await move(held, name, target)) moved.push(path)
      } catch (error) {
        faults.push(notMoved(path, target, heldMessage(error)))
      }
    })
    if (!isComplete) faults.push(`${folder} ${TOO_MANY_FOLDERS}, so some may still be there`)
    for (const [path, { identity, link }] of before.entries) {
      if (link === undefined || kept.has(identity)) continue
      try {
        await makeLink(root, link.folders, basename(path), link.target)
      } catch (error) {
        const within = relative(folder, path)
        faults.push(`${within}, a link to ${link.target}, could not be made again: ${heldMessage(error)}`)
      }
    }
  } finally {
    await root.close()
  }
  return { moved, faults }
}

/** A clause about an entry that only its owner may make. */
export function notMoved(path: string, target: string, why: string): string {
  return `${path} is still in the workspace, since it could not be moved to ${target}: ${why}`
}

/** Answers false where it is gone: a program that still lives has moved it. */
async function move(held: HeldFolder, name: string, target: string): Promise<boolean> {
  // At once nothing obeys it any more, however long the copy takes. The place is another mount, so it is always a copy.
  const aside = `set-aside-${randomUUID()}`
  try {
    await rename(held.at(name), held.at(aside))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false
    throw error
  }
  await moveAcross(held, aside, target).catch((error: unknown) => {
    throw new Error(`its name is ${aside} now; ${heldMessage(error)}`, { cause: error })
  })
  return true
}

/** Moves an entry to another mount: each file, link and folder is removed when its copy is there. */
async function moveAcross(held: HeldFolder, name: string, target: string, depth = 0): Promise<void> {
  const path = held.at(name)
  const found = await lstat(path)
  if (found.isDirectory()) {
    if (depth === MOST_LEVELS) throw new Error(`it holds more than ${MOST_LEVELS} levels of folders`)
    const folder = await held.enter(name)
    try {
      await mkdir(target, { mode: 0o700 })
      for (const each of await readdir(folder.at('.'))) await moveAcross(folder, each, join(target, each), depth + 1)
    } finally {
      await folder.close()
    }
    await rmdir(path)
    return
  }
  if (found.isSymbolicLink()) await symlink(await readlink(path), target)
  else if (found.isFile()) await copyOpened(path, target)
  await unlink(path)
}

/** Copies a file that it holds open, follows no link, and waits for no pipe. */
async function copyOpened(path: string, target: string): Promise<void> {
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  try {
    if (!(await file.stat()).isFile()) throw new Error('it is no file any more')
    await copyFile(`/proc/self/fd/${file.fd}`, target, constants.COPYFILE_EXCL)
  } finally {
    await file.close()
  }
}

/** Makes a link again, unless another run that ended at the same time has. */
async function makeLink(held: HeldFolder, folders: FolderPath, name: string, target: string): Promise<void> {
  const [next, ...deeper] = folders
  if (next === undefined) {
    try {
      await symlink(target, held.at(name))
    } catch (error) {
      const present = await readlink(held.at(name)).catch(() => undefined)
      if (present !== target) throw error
    }
    return
  }
  const another = `${next.name} is not the folder that had it`
  const folder = await held.enter(next.name).catch(() => {
    throw new Error(another)
  })
  try {
    if ((await folder.identity()) !== next.identity) throw new Error(another)
    await makeLink(folder, deeper, name, target)
  } finally {
    await folder.close()
  }
}
