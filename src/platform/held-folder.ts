import { existsSync } from 'node:fs'
import { constants, lstat, mkdir, open, realpath } from 'node:fs/promises'
import { join } from 'node:path'

/** A folder that is held open, so that it stays the same one even if something replaces it. */
export type HeldFolder = Awaited<ReturnType<typeof checkFolder>>

interface HoldOptions {
  /** Creates missing folders. */
  readonly create?: boolean
}

/**
 * Walks from a root, name by name, and follows no link. Where the system has no paths of open folders (all but
 * Linux), each step is checked instead of held open.
 */
export async function holdFolder(
  root: string,
  names: readonly string[],
  { create = false }: HoldOptions = {},
): Promise<HeldFolder> {
  if (create) await mkdir(root, { recursive: true })
  let held = await openFolder(root)
  for (const name of names) {
    try {
      if (create) await makeFolder(held.at(name))
      const next = await held.enter(name)
      await held.close()
      held = next
    } catch (error) {
      await held.close()
      throw error
    }
  }
  return held
}

const OPEN_FOLDERS = '/proc/self/fd'

/** Linux: opens a folder to name it and what is in it, not to read it, so that the right to search it is enough. */
const O_PATH = 0o10000000

const HELD = O_PATH | (constants.O_NOFOLLOW ?? 0) | (constants.O_DIRECTORY ?? 0)

async function openFolder(path: string): Promise<HeldFolder> {
  if (process.platform !== 'linux' || !existsSync(OPEN_FOLDERS)) return checkFolder(path)
  const folder = await open(path, HELD)
  const at = (name: string) => `${OPEN_FOLDERS}/${folder.fd}/${name}`
  return {
    at,
    enter: (name) => openFolder(at(name)),
    identity: async () => identityOf(await folder.stat({ bigint: true })),
    close: () => folder.close(),
  }
}

async function checkFolder(path: string) {
  const found = await lstat(path, { bigint: true })
  if (!found.isDirectory()) throw new Error('a part of the path is not a folder')
  const real = await realpath(path)
  const at = (name: string) => join(real, name)
  return {
    /** A path of an entry in it, for one system call; `.` is the folder itself. Never shown. */
    at,
    /** Opens a folder in it, and follows no link. */
    enter: (name: string) => checkFolder(at(name)),
    /** Device and inode. */
    identity: async () => identityOf(found),
    close: async () => {},
  }
}

function identityOf({ dev, ino }: { readonly dev: bigint; readonly ino: bigint }): string {
  return `${dev}:${ino}`
}

async function makeFolder(path: string): Promise<void> {
  try {
    await mkdir(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}
