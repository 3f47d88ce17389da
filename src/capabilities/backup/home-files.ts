import { lstat, readdir, readlink, realpath, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { type HeldFolder, heldMessage, holdFolder } from '../../platform.ts'

/** Something in a home that goes into an archive. */
export type HomeFile = HomeFolder | HomeLink | RegularFile

interface Named {
  readonly path: string
  readonly mode: number
  readonly modified: Date
}

interface HomeFolder extends Named {
  readonly type: 'directory'
}

interface HomeLink extends Named {
  readonly type: 'symlink'
  readonly target: string
}

export interface RegularFile extends Named {
  readonly type: 'file'
  readonly bytes: number
  /** Where its bytes are now, an absolute path. */
  readonly source: string
  /** A folder above it that programs can change: from here on no link is followed. Absolute, without links. */
  readonly root?: string
  /** Nobody changes these bytes: they need not be copied before they are read. */
  readonly stable?: boolean
}

interface HomeListing {
  readonly files: readonly HomeFile[]
  /** What cannot be part of an archive, with the reason: sockets, pipes, what this user cannot read. */
  readonly leftOut: readonly string[]
}

/** Folders in `data/` in which an archive is prepared. */
export const PREPARING = 'backup-'

/** Locks, work in progress, what is built again from the log, and what is copied separately: the budgets, indexes and the bytes of files. */
const elsewhere: readonly RegExp[] = [
  /(^|\/)\.lock(-\w+)?$/,
  /^gateway\.(lock|json)/,
  /^\.restoring$/,
  /^before-restore-/,
  /^data\/backup-/,
  /^data\/history\.sqlite/,
  /^data\/budgets\.sqlite/,
  /^data\/files$/,
  /^data\/departures$/,
]

/** What is before a path within the home of a person. */
const OF_PERSON = /^people\/[^/]+\//

/**
 * Lists everything in a home that is copied as it is. `skip` is a path that stays out, such as the archive itself. Each folder is
 * held open while it is listed, since the workspace may lie in the home, and programs exchange what is in it.
 */
export async function homeFiles(home: string, skip: (path: string) => boolean): Promise<HomeListing> {
  const files: HomeFile[] = []
  const leftOut: string[] = []
  const root = await realpath(home)
  await list('', holdFolder(root, []))
  return { files, leftOut }

  async function list(folder: string, opened: Promise<HeldFolder>): Promise<void> {
    let held: HeldFolder | undefined
    try {
      held = await opened
      for (const name of await readdir(held.at('.'))) {
        const path = folder === '' ? name : `${folder}/${name}`
        const within = path.replace(OF_PERSON, '')
        if (elsewhere.some((form) => form.test(within)) || skip(join(home, path))) continue
        const file = await described(held.at(name), path)
        if (file === undefined) continue
        files.push(file)
        if (file.type === 'directory') await list(path, held.enter(name))
      }
    } catch (error) {
      leftOut.push(`${folder}: ${heldMessage(error)}`)
    } finally {
      await held?.close()
    }
  }

  async function described(place: string, path: string): Promise<HomeFile | undefined> {
    try {
      const facts = await lstat(place)
      const named: Named = { path, mode: facts.mode & 0o777, modified: facts.mtime }
      if (facts.isDirectory()) return { ...named, type: 'directory' }
      if (facts.isSymbolicLink()) return { ...named, type: 'symlink', target: await readlink(place) }
      if (facts.isFile()) return { ...named, type: 'file', bytes: facts.size, source: join(root, path), root }
      leftOut.push(`${path}: it is neither a file nor a folder`)
    } catch (error) {
      // Removed since its folder was read.
      if (!isMissing(error)) leftOut.push(`${path}: ${heldMessage(error)}`)
    }
    return undefined
  }
}

export function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT'
}

/** Name of the archive while it is being written, beside `file`. */
export function partialName(file: string, pid: number): string {
  return `${file}.${pid}.partial`
}

/** Beginning of the name of the folder in `data/` in which this process prepares an archive. */
export function preparingPrefix(pid: number): string {
  return `${PREPARING}${pid}-`
}

/** Removes what backups that were killed have left of archives of this name. */
export function removePartials(folder: string, name: string, now: string): Promise<void> {
  return removeLeftovers(folder, now, (each) =>
    each.startsWith(`${name}.`) ? /^(\d+)\.partial$/.exec(each.slice(name.length + 1))?.[1] : undefined,
  )
}

/** Removes folders in `data/` in which backups that were killed have prepared archives. */
export function removePreparing(data: string, now: string): Promise<void> {
  return removeLeftovers(data, now, (each) =>
    each.startsWith(PREPARING) ? /^(\d+)-/.exec(each.slice(PREPARING.length))?.[1] : undefined,
  )
}

/** A process in another container has an id that means nothing here, so what was touched of late stays in any case. */
const UNTOUCHED_MS = 60 * 60 * 1000

async function removeLeftovers(
  folder: string,
  now: string,
  pidIn: (name: string) => string | undefined,
): Promise<void> {
  for (const name of await readdir(folder).catch(() => [])) {
    const pid = pidIn(name)
    if (pid === undefined || isRunning(Number(pid))) continue
    const facts = await stat(join(folder, name)).catch(() => undefined)
    if (facts === undefined || Date.parse(now) - facts.mtimeMs < UNTOUCHED_MS) continue
    await rm(join(folder, name), { recursive: true, force: true })
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}
