import type { Dirent } from 'node:fs'
import { lstat, readdir, readlink, stat } from 'node:fs/promises'
import { isAbsolute, join, relative, sep } from 'node:path'
import { followWithin, type HeldFolder, holdFolder, holdRealFolder, openWithin } from '../../platform.ts'
import {
  looksLikeRepository,
  obeyedBeside,
  obeyedName,
  type ObeyedNames,
  obeyedPath,
  packageFolders,
} from '../access/owners-names.ts'

/** The most folders that a search opens. */
export const MOST_FOLDERS = 20_000

/** The deepest level that a search reaches: it holds so many folders open. */
export const MOST_LEVELS = 100

/** Folders in an entry of the owner are searched for links so deep. */
const LINKS_DEPTH = 3

/** The folders on the way from the one that is searched to an entry. */
export type FolderPath = readonly { readonly name: string; readonly identity: string }[]

/** Where an entry is. */
interface EntryPlace {
  /** The folder that has it, open. */
  readonly held: HeldFolder
  readonly folders: FolderPath
  readonly name: string
}

interface FoundEntry extends EntryPlace {
  readonly isSocket: boolean
  /** A folder that cannot be searched although this account could open it to itself. */
  readonly isClosed: boolean
  /** What a tool may do with it, where a program of the owner obeys it. */
  readonly level: ObeyedNames['level'] | undefined
  /** What is there, of an entry with a level. */
  readonly found: LookedAt | undefined
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
  let foldersLeft = MOST_FOLDERS

  /** Searches an open folder and those below it. `false` where that is more than can be searched. */
  async function search(held: HeldFolder, folders: FolderPath): Promise<boolean> {
    if (foldersLeft-- === 0 || folders.length > MOST_LEVELS) return false
    const entries = await listFolder(held)
    const isRepository = looksLikeRepository(entries.map(({ name }) => name))
    for (const entry of entries) {
      const place = { held, folders, name: entry.name }
      const level = obeyedName(entry.name, folders.at(-1)?.name, isRepository)?.level
      const isSocket = entry.isSocket() || entry.isFIFO()
      if (isSocket || level === 'never' || (level && !entry.isDirectory())) {
        const found = level && (await lookAt(held.at(entry.name)))
        await visit({ ...place, isSocket, isClosed: false, level, found })
        if (level === 'never' && !isSocket) await visitLeads(place, entry, found, isRepository)
      } else if (entry.isDirectory() && !packageFolders.has(entry.name)) {
        if (!(await searchBelow(place))) return false
      }
    }
    return true
  }

  async function searchBelow(place: EntryPlace): Promise<boolean> {
    const { held, folders, name } = place
    const below = await unlessClosed(() => held.enter(name))
    if (!below) return true
    try {
      if (!(await isClosedToItself(below))) {
        return await search(below, [...folders, { name, identity: await below.identity() }])
      }
      await visit({ ...place, isSocket: false, isClosed: true, level: undefined, found: undefined })
      return true
    } finally {
      await below.close()
    }
  }

  /** Visits what an entry of the owner leads to: as a link, as a file of Git, and by the links in it. */
  async function visitLeads(
    { held, folders, name }: EntryPlace,
    entry: Dirent,
    found: LookedAt | undefined,
    isInRepository: boolean,
  ): Promise<void> {
    const names = [...folders.map((each) => each.name), name]
    if (found?.target !== undefined) await visitEnd(names, found.target, found)
    else if (name === '.git' || isInRepository) {
      for (const path of await pathsNamedByGit(held, name, entry.isDirectory())) await visitEnd(names, path, found)
    }
    if (entry.isDirectory()) await visitLinks(held, names, name === '.git' ? ['hooks'] : undefined)
  }

  /** Visits what links in an entry lead to, such as a hook of Git or a skill; of all in it, or of some names. */
  async function visitLinks(
    above: HeldFolder,
    names: readonly string[],
    only?: readonly string[],
    depth = LINKS_DEPTH,
  ): Promise<void> {
    const held = await unlessClosed(() => above.enter(names.at(-1)!))
    if (!held) return
    try {
      for (const entry of await listFolder(held)) {
        const inside = [...names, entry.name]
        if (only && !only.includes(entry.name)) continue
        if (entry.isSymbolicLink()) {
          const found = await lookAt(held.at(entry.name))
          if (found?.target !== undefined) await visitEnd(inside, found.target, found)
        } else if (entry.isDirectory() && depth > 1 && !packageFolders.has(entry.name)) {
          await visitLinks(held, inside, undefined, depth - 1)
        }
      }
    } finally {
      await held.close()
    }
  }

  /** Visits what is obeyed under another name, since an entry of the owner leads there by a path. */
  async function visitEnd(entry: readonly string[], path: string, from: LookedAt | undefined): Promise<void> {
    const names = isAbsolute(path) ? relative(folder, path).split(sep) : [...entry.slice(0, -1), ...path.split(sep)]
    const end = await leadEnd(root, folder, names)
    onLead?.({ entry, identity: from?.identity, names, end })
    // An end with a name of the owner is visited where it lies.
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
      if (found?.target !== undefined) return
      await visit({ held: held ?? root, folders, name, isSocket: false, isClosed: false, level: 'never', found })
    } finally {
      await held?.close()
    }
  }

  return search(root, [])
}

/** Where a path from the top of a folder leads, through links; see `Lead`. */
async function leadEnd(root: HeldFolder, folder: string, names: readonly string[]): Promise<Lead['end']> {
  const way = await unlessClosed(() => followWithin(root.at('.'), names, [folder]))
  return way?.type === 'inside' && way.names.length > 0 ? way.names : undefined
}

interface LookedAt {
  /** Another one for every other content and every other file. */
  readonly identity: string
  /** `DEVICE:INODE`. */
  readonly inode: string
  /** Of a link. */
  readonly target?: string
}

/** What is at a path now, without following a link; `undefined` where nothing is. */
export async function lookAt(path: string): Promise<LookedAt | undefined> {
  try {
    const found = await lstat(path, { bigint: true })
    const inode = `${found.dev}:${found.ino}`
    // What is in a folder cannot change while it is protected, and other people may work in it.
    const identity = `${inode}:${found.isDirectory() ? 'folder' : found.ctimeNs}`
    return { identity, inode, ...(found.isSymbolicLink() && { target: await readlink(path) }) }
  } catch {
    return undefined
  }
}

/** The entries of an open folder; none where it is closed to this account. */
async function listFolder(held: HeldFolder): Promise<readonly Dirent[]> {
  return (await unlessClosed(() => readdir(held.at('.'), { withFileTypes: true }))) ?? []
}

/** Whether its owner, which is this account, may not read or search it. Programs of root may, whatever its mode. */
async function isClosedToItself(folder: HeldFolder): Promise<boolean> {
  const account = process.getuid?.()
  if (account === 0) return false
  const { uid, mode } = await stat(folder.at(''))
  return uid === account && (mode & 0o500) !== 0o500
}

/** Where Git finds its repository, hooks and further settings, as a file says: from the folder that holds it, or its `.git`. */
async function pathsNamedByGit(held: HeldFolder, name: string, isFolder: boolean): Promise<readonly string[]> {
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

const MOST_GIT_BYTES = 65_536

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
    return found?.identity === identity && (await leadEnd(root, folder, names))?.join(sep) === end?.join(sep)
  } finally {
    await held?.close()
  }
}

/** After so long, ms, all folders are searched again for entries that the owner has made meanwhile. */
const SEARCH_AGAIN_MS = 10_000

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

/** `undefined` for what cannot be opened. That this process has too many files open hides nothing. */
export async function unlessClosed<Opened>(attempt: () => Promise<Opened>): Promise<Opened | undefined> {
  try {
    return await attempt()
  } catch (error) {
    if (/^E[MN]FILE$/.test((error as NodeJS.ErrnoException).code ?? '')) throw error
    return undefined
  }
}
