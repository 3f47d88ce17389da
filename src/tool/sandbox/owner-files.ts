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
  stat,
  symlink,
  unlink,
} from 'node:fs/promises'
import { basename, dirname, isAbsolute, join, relative, sep } from 'node:path'
import { followWithin, type HeldFolder, heldMessage, holdRealFolder, openWithin } from '../../platform.ts'
import { obeyedName, type ObeyedNames, obeyedPath } from '../access/owners-names.ts'

/** Folders with very many files of others, which nothing obeys where they lie. */
const NOT_SEARCHED = new Set(['node_modules', '.venv', 'venv', '__pycache__'])

const MOST_FOLDERS = 20_000

/** The deepest level that a search reaches: it holds so many folders open. */
const DEEPEST = 100

/** Entries of a workspace that belong to the owner alone. */
export interface OwnerFiles {
  readonly identity: string
  /** By absolute path. */
  readonly entries: ReadonlyMap<string, OwnerFile>
  /** Which ones the folders are that hold entries or sockets, and the entries that are no links: as `DEVICE:INODE`, by absolute path. */
  readonly identities: ReadonlyMap<string, string>
  /** Files whose change is reported, such as `package.json`: identities by path within the folder. */
  readonly watched: ReadonlyMap<string, string>
  /** Sockets and pipes with a name that lie in the workspace. Absolute. */
  readonly sockets: readonly string[]
  /** Folders that cannot be searched although this account could open them to itself, as a program could. Absolute. */
  readonly closed: readonly string[]
  /** `false` where the workspace has more or deeper folders than were searched. */
  readonly isComplete: boolean
}

interface OwnerFile {
  /** Another one for every other content and every other file. */
  readonly identity: string
  readonly link?: OwnerLink
}

interface OwnerLink {
  readonly target: string
  readonly folders: FolderPath
}

/** The folders on the way from the one that is searched to an entry. */
type FolderPath = readonly { readonly name: string; readonly identity: string }[]

/** Looks for the owner's entries in a folder and all folders below. What others closed to this account is not searched. */
export async function findOwnerFiles(folder: string): Promise<OwnerFiles> {
  const entries = new Map<string, OwnerFile>()
  const identities = new Map<string, string>()
  const watched = new Map<string, string>()
  const sockets: string[] = []
  const closed: string[] = []
  const root = await holdRealFolder(folder)
  try {
    const identity = await root.identity()
    const isComplete = await searchFolder(root, folder, ({ folders, name, isSocket, isClosed, level, found }) => {
      const within = join(...folders.map((each) => each.name), name)
      const path = join(folder, within)
      if (isSocket) sockets.push(path)
      if (isClosed) closed.push(path)
      if (isSocket || isClosed || level === 'never') {
        identities.set(dirname(path), folders.at(-1)?.identity ?? identity)
      }
      if (!found) return
      const { target } = found
      if (level === 'asks') return void watched.set(within, found.identity)
      entries.set(path, { identity: found.identity, ...(target !== undefined && { link: { target, folders } }) })
      if (target === undefined) identities.set(path, /^[^:]*:[^:]*/.exec(found.identity)![0])
    })
    return { identity, entries, identities, watched, sockets, closed, isComplete }
  } finally {
    await root.close()
  }
}

/** Which file or folder a path names now, as `DEVICE:INODE`. Follows no link; `undefined` where there is none. */
export async function identityAt(path: string): Promise<string | undefined> {
  const held = await holdRealFolder(dirname(path)).catch(() => undefined)
  try {
    const { dev, ino } = await lstat(held!.at(basename(path)), { bigint: true })
    return `${dev}:${ino}`
  } catch {
    return undefined
  } finally {
    await held?.close()
  }
}

interface FoundEntry {
  readonly held: HeldFolder
  readonly folders: FolderPath
  readonly name: string
  readonly isSocket: boolean
  /** A folder that cannot be searched although this account could open it to itself. */
  readonly isClosed: boolean
  /** What a tool may do with it, where a program of the owner obeys it. */
  readonly level: ObeyedNames['level'] | undefined
  /** What is there, of an entry with a level. */
  readonly found: LookedAt | undefined
}

/**
 * Visits the owner's entries and the sockets in a folder and those below, and what the entries lead to in it. Each folder is opened
 * by its name in the one above and stays open while its entries are visited, so a program that replaces folders by links leads the
 * search nowhere else. Answers whether everything was searched.
 */
async function searchFolder(root: HeldFolder, folder: string, visit: (entry: FoundEntry) => unknown): Promise<boolean> {
  let left = MOST_FOLDERS

  async function search(held: HeldFolder, folders: FolderPath): Promise<boolean> {
    if (left-- === 0 || folders.length > DEEPEST) return false
    const listed = await unlessClosed(() => readdir(held.at('.'), { withFileTypes: true }))
    for (const entry of listed ?? []) {
      const { name } = entry
      const isSocket = entry.isSocket() || entry.isFIFO()
      const isFolder = entry.isDirectory()
      const level = obeyedName(name, folders.at(-1)?.name)?.level
      const one = { held, folders, name, isSocket, isClosed: false, level, found: undefined }
      if (isSocket || level === 'never' || (level && !isFolder)) {
        const found = level && (await lookAt(held.at(name)))
        await visit({ ...one, found })
        if (level !== 'never' || isSocket) continue
        const from = folders.map((each) => each.name)
        if (found?.target !== undefined) await visitEnd(from, name)
        else if (name === '.git') for (const path of await namedByGit(held, isFolder)) await visitEnd(from, path)
      } else if (isFolder && !NOT_SEARCHED.has(name)) {
        const next = await unlessClosed(() => held.enter(name))
        if (!next) continue
        try {
          if (await isClosedToItself(next)) {
            await visit({ ...one, isClosed: true })
            continue
          }
          if (!(await search(next, [...folders, { name, identity: await next.identity() }]))) return false
        } finally {
          await next.close()
        }
      }
    }
    return true
  }

  /** What is obeyed under another name, since an entry of the owner leads there. */
  async function visitEnd(from: readonly string[], path: string): Promise<void> {
    const names = isAbsolute(path) ? relative(folder, path).split(sep) : [...from, ...path.split(sep)]
    const way = await unlessClosed(() => followWithin(root.at('.'), names, [folder]))
    if (way?.type !== 'inside' || way.names.length === 0 || obeyedPath(way.names)?.level === 'never') return
    const name = way.names.at(-1)!
    const folders: { readonly name: string; readonly identity: string }[] = []
    let held = await root.enter('.')
    try {
      for (const each of way.names.slice(0, -1)) {
        const next = await held.enter(each)
        await held.close()
        held = next
        folders.push({ name: each, identity: await held.identity() })
      }
      const found = await lookAt(held.at(name))
      if (found?.target === undefined) {
        await visit({ held, folders, name, isSocket: false, isClosed: false, level: 'never', found })
      }
    } finally {
      await held.close()
    }
  }

  return search(root, [])
}

/** The most bytes of a file of Git that are read. */
const MOST_GIT_BYTES = 65_536

/** Where Git finds its repository, hooks and further settings, as `.git` or its `config` says: from the folder that holds `.git`. */
async function namedByGit(held: HeldFolder, isFolder: boolean): Promise<readonly string[]> {
  const text = await unlessClosed(async () => {
    await using file = await openWithin(held.at('.'), isFolder ? ['.git', 'config'] : ['.git'])
    const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(MOST_GIT_BYTES) })
    return buffer.toString('utf8', 0, bytesRead)
  })
  const named = text?.matchAll(
    isFolder ? /^[ \t]*(hookspath|path)[ \t]*=[ \t]*"?(.*?)"?[ \t]*$/gim : /^(gitdir): (.*)$/gm,
  )
  // A path of further settings begins at the file that names it.
  return [...(named ?? [])].map(([, key = '', path = '']) =>
    /^path$/i.test(key) && !isAbsolute(path) ? `.git/${path}` : path,
  )
}

/** Whether its owner, which is this account, may not read or search it. Programs of root may, whatever its mode. */
async function isClosedToItself(folder: HeldFolder): Promise<boolean> {
  const account = process.getuid?.()
  if (account === 0) return false
  const { uid, mode } = await stat(folder.at(''))
  return uid === account && (mode & 0o500) !== 0o500
}

/** `undefined` for what cannot be opened. That this process has too many files open hides nothing. */
export async function unlessClosed<Opened>(attempt: () => Promise<Opened>): Promise<Opened | undefined> {
  try {
    return await attempt()
  } catch (error) {
    if (/^E[MN]FILE$/.test((error as NodeJS.ErrnoException).code ?? '')) throw error
    return undefined
  }
}

interface LookedAt {
  readonly identity: string
  readonly target?: string
}

async function lookAt(path: string): Promise<LookedAt | undefined> {
  try {
    const found = await lstat(path, { bigint: true })
    // What is in a folder cannot change while it is protected, and other people may work in it.
    const identity = `${found.dev}:${found.ino}:${found.isDirectory() ? 'folder' : found.ctimeNs}`
    return found.isSymbolicLink() ? { identity, target: await readlink(path) } : { identity }
  } catch {
    return undefined
  }
}

/** What a run did to the owner's entries. */
export interface OwnerChanges {
  /** Paths within the folder, of what it made or changed of the files whose change is reported. */
  readonly changed: readonly string[]
  /** Paths within the folder, of entries that were not there before. */
  readonly made: readonly string[]
  readonly isRestoreNeeded: boolean
}

/** Compares what a folder holds with what it held before a run. Throws where it is another folder. */
export function ownerChanges(folder: string, before: OwnerFiles, after: OwnerFiles): OwnerChanges {
  if (after.identity !== before.identity) throw new Error(ANOTHER_FOLDER)
  const identities = ({ entries }: OwnerFiles) => new Set([...entries.values()].map(({ identity }) => identity))
  const [known, kept, watched] = [identities(before), identities(after), new Set(before.watched.values())]
  const made = [...after.entries].filter(([, { identity }]) => !known.has(identity))
  const isLinkLost = [...before.entries.values()].some(({ identity, link }) => link && !kept.has(identity))
  return {
    changed: [...after.watched].filter(([, identity]) => !watched.has(identity)).map(([path]) => path),
    made: made.map(([path]) => relative(folder, path)),
    isRestoreNeeded: made.length > 0 || isLinkLost || !after.isComplete,
  }
}

const ANOTHER_FOLDER = 'it is not the folder that it was before the run'

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

/** A verb and what follows it, of a folder whose search is not complete. */
export const TOO_MANY_FOLDERS = `has more or deeper folders than can be searched for files of the owner (${MOST_FOLDERS.toLocaleString('en-US')}, ${DEEPEST} levels)`

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
    if (depth === DEEPEST) throw new Error(`it holds more than ${DEEPEST} levels of folders`)
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
