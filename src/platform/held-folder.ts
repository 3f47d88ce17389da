import { existsSync, openSync } from 'node:fs'
import { constants, type FileHandle, lstat, mkdir, open, readdir, readlink, realpath } from 'node:fs/promises'
import { join, parse, sep } from 'node:path'
import { errorMessage } from './foreword-error.ts'

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

/** Where a path within a folder leads. */
export type PathWithin =
  /** Names of the way without links. The last ones need not exist. */
  | { readonly type: 'inside'; readonly names: readonly string[] }
  | { readonly type: 'outside' }
  /** A link leads to nothing. */
  | { readonly type: 'dangling' }

/** Holds the folder at an absolute path. Follows no link, so that it opens nothing elsewhere even if a program replaces a part of it. */
export function holdRealFolder(path: string): Promise<HeldFolder> {
  const { root } = parse(path)
  return holdFolder(root, path.slice(root.length).split(sep).filter(Boolean))
}

/** As many links as Linux follows in one path. */
const MOST_LINKS = 40

/**
 * Follows names from a root, link by link, and looks at nothing outside of the root: each link is read in the folder that is held
 * open, and what it leads to is walked in the same way. `aliases` are other names of the root that an absolute link may begin with.
 * A name that is not there leads to the only one that differs from it by the form of its characters alone (NFC, NFD).
 *
 * @throws the error of the system, such as `ENOTDIR` or `EACCES`; `ELOOP` for links in a circle
 */
export async function followWithin(
  root: string,
  names: readonly string[],
  aliases: readonly string[] = [],
): Promise<PathWithin> {
  let left = names
  // The last names of `left` that were asked for; those before come from links.
  let asked = names.length
  let done: readonly string[] = []
  let held = await openFolder(root).catch(missing)
  if (!held) return { type: 'inside', names }
  const goTo = async (folder: Promise<HeldFolder>) => {
    const next = await folder
    await held!.close()
    held = next
  }
  try {
    for (let links = 0; left.length > 0;) {
      const [written = '', ...rest] = left
      left = rest
      if (written === '' || written === '.') continue
      if (written === '..') {
        if (done.length === 0) return { type: 'outside' }
        done = done.slice(0, -1)
        await goTo(holdFolder(root, done))
        continue
      }
      const name = await nameOnDisk(held, written)
      const target = await linkTarget(held.at(name))
      if (target === 'missing') {
        return rest.length < asked ? { type: 'inside', names: [...done, name, ...rest] } : { type: 'dangling' }
      }
      if (target === undefined) {
        done = [...done, name]
        if (rest.length > 0) await goTo(held.enter(name))
        continue
      }
      if (++links > MOST_LINKS) throw Object.assign(new Error('links lead in a circle'), { code: 'ELOOP' })
      asked = Math.min(asked, rest.length)
      left = [...target.path.split(sep), ...rest]
      if (!target.path.startsWith(sep)) continue
      const start = [root, ...aliases].find((one) => `${target.path}${sep}`.startsWith(`${one}${sep}`))
      if (start === undefined) return { type: 'outside' }
      left = [...target.path.slice(start.length).split(sep), ...rest]
      done = []
      await goTo(openFolder(root))
    }
    return { type: 'inside', names: done }
  } finally {
    await held.close()
  }
}

/** The name as it stands in the folder: macOS writes é as e and an accent, and models as one character. */
async function nameOnDisk(folder: HeldFolder, name: string): Promise<string> {
  if (/^[ -~]*$/.test(name)) return name
  const entries = await readdir(folder.at('.')).catch((): readonly string[] => [])
  if (entries.includes(name)) return name
  const plain = name.normalize('NFC')
  const [same, ...others] = entries.filter((entry) => entry.normalize('NFC') === plain)
  return others.length === 0 ? (same ?? name) : name
}

/** `undefined` for what is no link. */
async function linkTarget(path: string): Promise<{ readonly path: string } | 'missing' | undefined> {
  try {
    return { path: await readlink(path) }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return 'missing'
    if (code === 'EINVAL' || code === 'UNKNOWN') return undefined
    throw error
  }
}

function missing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error
}

/** Opens a file to read it, follows no link on the way or at its end, and waits for no pipe. */
export async function openWithin(root: string, names: readonly string[]): Promise<FileHandle> {
  const folder = await holdFolder(root, names.slice(0, -1))
  try {
    const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)
    return await open(folder.at(names.at(-1) ?? '.'), flags)
  } finally {
    await folder.close()
  }
}

/** Runs `use` with a path of the very file, whatever replaces it meanwhile. */
export async function withOpened<Value>(
  root: string,
  names: readonly string[],
  use: (path: string) => Promise<Value>,
): Promise<Value> {
  await using file = await openWithin(root, names)
  return await use(process.platform === 'linux' ? `${OPEN_FOLDERS}/${file.fd}` : join(root, ...names))
}

/** The message of an error, without the paths of folders that are held open. */
export function heldMessage(error: unknown): string {
  return errorMessage(error).replaceAll(/\/proc\/self\/fd\/\d+\/?/g, '')
}

const OPEN_FOLDERS = '/proc/self/fd'

/** Linux: opens a folder to name it and what is in it, not to read it, so that the right to search it is enough. */
const O_PATH = 0o10000000

/** Opens any entry by its path to know it again, and follows no link at its end: a descriptor to close. Linux alone. */
export function holdEntry(path: string): number {
  return openSync(path, O_PATH | constants.O_NOFOLLOW)
}

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
