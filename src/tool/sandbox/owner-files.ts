import { lstat, readdir, readlink, stat } from 'node:fs/promises'
import { basename, dirname, isAbsolute, join, relative, sep } from 'node:path'
import { followWithin, type HeldFolder, holdFolder, holdRealFolder, openWithin } from '../../platform.ts'
import { looksLikeRepository, obeyedBeside, obeyedName, type ObeyedNames, obeyedPath } from '../access/owners-names.ts'

/** Folders with very many files of others, which nothing obeys where they lie. */
const NOT_SEARCHED = new Set(['node_modules', '.venv', 'venv', '__pycache__'])

const MOST_FOLDERS = 20_000

/** The deepest level that a search reaches: it holds so many folders open. */
export const MOST_LEVELS = 100

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
export type FolderPath = readonly { readonly name: string; readonly identity: string }[]

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
      if (isSocket || isClosed || level === 'never') identities.set(dirname(path), folders.at(-1)?.identity ?? identity)
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

/**
 * What obeys an entry of a workspace by the names of its way, without links, and by those beside each of them: in a folder that Git
 * takes for a repository, or would with this entry.
 */
export async function obeyedWithin(root: string, names: readonly string[]): Promise<ObeyedNames | undefined> {
  const named = obeyedPath(names)
  if (named?.level === 'never') return named
  let held = await unlessClosed(() => holdRealFolder(root))
  try {
    for (const name of names) {
      const folder = held
      if (!folder) break
      const obeying = obeyedBeside(name, (await unlessClosed(() => readdir(folder.at('.')))) ?? [])
      if (obeying) return obeying
      held = await unlessClosed(() => folder.enter(name))
      await folder.close()
    }
  } finally {
    await held?.close()
  }
  return named
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
export async function searchFolder(
  root: HeldFolder,
  folder: string,
  visit: (entry: FoundEntry) => unknown,
  onLead?: (lead: Lead) => void,
): Promise<boolean> {
  let left = MOST_FOLDERS

  async function search(held: HeldFolder, folders: FolderPath): Promise<boolean> {
    if (left-- === 0 || folders.length > MOST_LEVELS) return false
    const listed = await unlessClosed(() => readdir(held.at('.'), { withFileTypes: true }))
    const isRepository = looksLikeRepository((listed ?? []).map(({ name }) => name))
    for (const entry of listed ?? []) {
      const { name } = entry
      const isSocket = entry.isSocket() || entry.isFIFO()
      const isFolder = entry.isDirectory()
      const level = obeyedName(name, folders.at(-1)?.name, isRepository)?.level
      const one = { held, folders, name, isSocket, isClosed: false, level, found: undefined }
      if (isSocket || level === 'never' || (level && !isFolder)) {
        const found = level && (await lookAt(held.at(name)))
        await visit({ ...one, found })
        if (level !== 'never' || isSocket) continue
        const from = folders.map((each) => each.name)
        if (found?.target !== undefined) await visitEnd([...from, name], found.target, found)
        else if (name === '.git' || isRepository) {
          for (const path of await namedByGit(held, name, isFolder)) await visitEnd([...from, name], path, found)
        }
        if (isFolder) await visitLinks(held, [...from, name], name === '.git' ? ['hooks'] : undefined)
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
  async function visitEnd(entry: readonly string[], path: string, from: LookedAt | undefined): Promise<void> {
    const names = isAbsolute(path) ? relative(folder, path).split(sep) : [...entry.slice(0, -1), ...path.split(sep)]
    const end = await endOf(root, folder, names)
    onLead?.({ entry, identity: from?.identity, names, end })
    if (end === undefined || obeyedPath(end)?.level === 'never') return
    const name = end.at(-1)!
    const folders: { readonly name: string; readonly identity: string }[] = []
    let held: HeldFolder | undefined = await root.enter('.')
    try {
      for (const each of end.slice(0, -1)) {
        const above: HeldFolder = held
        held = await unlessClosed(() => above.enter(each))
        await above.close()
        if (!held) break
        folders.push({ name: each, identity: await held.identity() })
      }
      const found = held && (await lookAt(held.at(name)))
      const one = { folders, name, isSocket: false, isClosed: false, level: 'never', found } as const
      if (found?.target === undefined) await visit({ ...one, held: held ?? root })
    } finally {
      await held?.close()
    }
  }

  /** Visits what links in an entry lead to, such as a hook of Git or a skill; of all in it, or of some names. */
  async function visitLinks(above: HeldFolder, from: readonly string[], only?: readonly string[], depth = LINKS_DEPTH) {
    const held = await unlessClosed(() => above.enter(from.at(-1)!))
    if (!held) return
    try {
      for (const entry of (await unlessClosed(() => readdir(held.at('.'), { withFileTypes: true }))) ?? []) {
        const { name } = entry
        if (only && !only.includes(name)) continue
        if (entry.isSymbolicLink()) {
          const found = await lookAt(held.at(name))
          if (found?.target !== undefined) await visitEnd([...from, name], found.target, found)
        } else if (entry.isDirectory() && depth > 1 && !NOT_SEARCHED.has(name)) {
          await visitLinks(held, [...from, name], undefined, depth - 1)
        }
      }
    } finally {
      await held.close()
    }
  }

  return search(root, [])
}

/** An entry of the owner that leads elsewhere: a link, or a file of Git that names a path. */
interface Lead {
  /** Names from the top, of the entry. */
  readonly entry: readonly string[]
  readonly identity: string | undefined
  /** The path that it names, from the top. Links in it are not followed. */
  readonly names: readonly string[]
  /** Where that leads now, also where nothing is; `undefined` for any place outside, and for the folder itself. */
  readonly end: readonly string[] | undefined
}

async function endOf(root: HeldFolder, folder: string, names: readonly string[]): Promise<Lead['end']> {
  const way = await unlessClosed(() => followWithin(root.at('.'), names, [folder]))
  return way?.type === 'inside' && way.names.length > 0 ? way.names : undefined
}

/** After so long, ms, all folders are searched again for entries that the owner has made meanwhile. */
const SEARCH_AGAIN_MS = 10_000

/**
 * What the owner's entries in a folder lead to, absolute and also where it is missing, for one question after another. A program in the
 * sandbox can make no such entry, but it can exchange what an entry leads through: so each known one is followed for every question,
 * and where one is gone or leads elsewhere all is searched again.
 */
export function createOwnerEnds() {
  let known: { readonly folder: string; readonly time: number; readonly leads: readonly Lead[] } | undefined

  /** `now`: any monotonic time, ms. */
  return async function findEnds(folder: string, now: number): Promise<readonly string[]> {
    const root = await holdRealFolder(folder)
    try {
      const isRecent = known?.folder === folder && now - known.time < SEARCH_AGAIN_MS
      const same = isRecent && (await Promise.all(known!.leads.map((lead) => isAsBefore(root, folder, lead))))
      if (!same || same.includes(false)) {
        const leads: Lead[] = []
        const ignore = () => {}
        await searchFolder(root, folder, ignore, (lead) => leads.push(lead))
        known = { folder, time: now, leads }
      }
      return known!.leads.flatMap(({ end }) => (end ? [join(folder, ...end)] : []))
    } finally {
      await root.close()
    }
  }
}

async function isAsBefore(root: HeldFolder, folder: string, { entry, identity, names, end }: Lead): Promise<boolean> {
  const held = await unlessClosed(() => holdFolder(root.at('.'), entry.slice(0, -1)))
  try {
    const found = held && (await lookAt(held.at(entry.at(-1)!)))
    return found?.identity === identity && (await endOf(root, folder, names))?.join(sep) === end?.join(sep)
  } finally {
    await held?.close()
  }
}

/** Folders in an entry are searched for links so deep. */
const LINKS_DEPTH = 3

const MOST_GIT_BYTES = 65_536

/** Where Git finds its repository, hooks and further settings, as a file says: from the folder that holds it, or its `.git`. */
async function namedByGit(held: HeldFolder, name: string, isFolder: boolean): Promise<readonly string[]> {
  if (name === '.git' && isFolder) {
    const inside = await Promise.all(SETTINGS.map((each) => namedIn(held, ['.git', each], SETTING)))
    return inside.flat()
  }
  if (isFolder) return []
  if (name === '.git') return namedIn(held, [name], /^(gitdir): (.*)$/gm)
  if (name === 'commondir') return namedIn(held, [name], /^()(.+)$/gm)
  return SETTINGS.includes(name) ? namedIn(held, [name], SETTING) : []
}

const SETTINGS = ['config', 'config.worktree']

const SETTING = /^[ \t]*(hookspath|path)[ \t]*=[ \t]*"?(.*?)"?[ \t]*$/gim

/** Paths that stand behind a key in a file. */
async function namedIn(held: HeldFolder, way: readonly string[], pattern: RegExp): Promise<readonly string[]> {
  const text = await unlessClosed(async () => {
    await using file = await openWithin(held.at('.'), way)
    const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(MOST_GIT_BYTES) })
    return buffer.toString('utf8', 0, bytesRead)
  })
  // A path of further settings begins at the file that names it.
  return [...(text ?? '').matchAll(pattern)].map(([, key = '', path = '']) =>
    /^path$/i.test(key) && !isAbsolute(path) ? [...way.slice(0, -1), path].join('/') : path,
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

export const ANOTHER_FOLDER = 'it is not the folder that it was before the run'

/** A verb and what follows it, of a folder whose search is not complete. */
export const TOO_MANY_FOLDERS = `has more or deeper folders than can be searched for files of the owner (20,000, ${MOST_LEVELS} levels)`
