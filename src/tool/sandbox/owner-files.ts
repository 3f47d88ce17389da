import { basename, dirname, join, relative } from 'node:path'
import { holdRealFolder } from '../../platform.ts'
import { type FolderPath, lookAt, MOST_FOLDERS, MOST_LEVELS, searchFolder } from './owner-search.ts'

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
      if (level === 'asks') return void watched.set(within, found.identity)
      const { target } = found
      if (target !== undefined) return void entries.set(path, { identity: found.identity, link: { target, folders } })
      entries.set(path, { identity: found.identity })
      identities.set(path, found.inode)
    })
    return { identity, entries, identities, watched, sockets, closed, isComplete }
  } finally {
    await root.close()
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

/** Which file or folder a path names now, as `DEVICE:INODE`. Follows no link; `undefined` where there is none. */
export async function identityAt(path: string): Promise<string | undefined> {
  const held = await holdRealFolder(dirname(path)).catch(() => undefined)
  try {
    return held && (await lookAt(held.at(basename(path))))?.inode
  } finally {
    await held?.close()
  }
}

/** A verb and what follows it, of a folder whose search is not complete. */
export const TOO_MANY_FOLDERS = `has more or deeper folders than can be searched for files of the owner (${MOST_FOLDERS} folders, ${MOST_LEVELS} levels)`
