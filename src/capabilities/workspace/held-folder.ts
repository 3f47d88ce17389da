import { existsSync } from 'node:fs'
import { constants, lstat, mkdir, open, realpath } from 'node:fs/promises'
import { join } from 'node:path'

/** A folder that is held open, so that it stays the same one even if something replaces it. */
interface HeldFolder {
  /** A path of an entry in it, for one system call. Never shown. */
  at(name: string): string
  close(): Promise<void>
}

interface HoldOptions {
  /** Creates missing folders. */
  readonly create?: boolean
}

/**
 * Walks from a root, name by name, and follows no link: a folder that was replaced by a link after the check is not entered.
 * Where the system has no paths of open folders (all but Linux), each step is checked instead of held open.
 *
 * @throws the error of the system
 */
export async function holdFolder(
  root: string,
  names: readonly string[],
  { create = false }: HoldOptions = {},
): Promise<HeldFolder> {
  if (create) await mkdir(root, { recursive: true })
  let held = await openFolder(root)
  for (const name of names) {
    const path = held.at(name)
    try {
      if (create) await makeFolder(path)
      const next = await openFolder(path)
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
const NO_LINK = (constants.O_NOFOLLOW ?? 0) | (constants.O_DIRECTORY ?? 0)

async function openFolder(path: string): Promise<HeldFolder> {
  if (process.platform !== 'linux' || !existsSync(OPEN_FOLDERS)) return checkFolder(path)
  const folder = await open(path, constants.O_RDONLY | NO_LINK)
  return {
    at: (name) => `${OPEN_FOLDERS}/${folder.fd}/${name}`,
    close: () => folder.close(),
  }
}

async function checkFolder(path: string): Promise<HeldFolder> {
  const found = await lstat(path)
  if (!found.isDirectory()) throw new Error('a part of the path is not a folder')
  const real = await realpath(path)
  return { at: (name) => join(real, name), close: async () => {} }
}

async function makeFolder(path: string): Promise<void> {
  try {
    await mkdir(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}
