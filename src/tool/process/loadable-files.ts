import { createHash } from 'node:crypto'
import { lstat, readdir, realpath } from 'node:fs/promises'
import { relative, sep } from 'node:path'
import { type HeldFolder, holdFolder, isWithin } from '../../platform.ts'
import { packageFolders } from '../access/owners-names.ts'

/** The files that a program of the workspace may load, as they are at one moment. */
export interface LoadableFiles {
  /** SHA-256 of the entries. */
  readonly digest: string
  /** What changes with every write, by path within the workspace. */
  readonly entries: ReadonlyMap<string, string>
  /** `false` where the workspace has more entries than are compared. */
  readonly isComplete: boolean
}

/** The most files, links and folders that are compared: about a second of work. */
const MOST_ENTRIES = 20_000

/** The deepest level, since each folder on the way is held open. */
const DEEPEST = 100

/**
 * For a person who is asked; the nearest files are compared. `MOST_ENTRIES` is written out, since formatting a number loads the tables
 * of a language, which takes 10 ms of every start.
 */
export const NOT_ALL_COMPARED =
  'the workspace has more than 20,000 files; a change of those nearest to the program asks again'

/**
 * Lists what a program may load from the workspace: first in the folders `near`, then everywhere, last in folders of packages.
 * Opens each folder by its name in the one above and follows no link. What Git keeps in `.git` is loaded by no program, and
 * tools cannot write it. What cannot be opened is not listed.
 */
export async function findLoadableFiles(
  workspace: string,
  near: readonly string[],
  most: number = MOST_ENTRIES,
): Promise<LoadableFiles> {
  const root = await realpath(workspace)
  const entries = new Map<string, string>()
  const seen = new Set<string>()
  const last: string[] = []
  let isComplete = true

  async function list(held: HeldFolder, path: string): Promise<void> {
    if (seen.has(path)) return
    if (path.split(sep).length > DEEPEST) {
      isComplete = false
      return
    }
    seen.add(path)
    const listed = await readdir(held.at('.'), { withFileTypes: true }).catch(() => [])
    const byName = listed.toSorted((left, right) => (left.name < right.name ? -1 : 1))
    const below: string[] = []
    for (let from = 0; from < byName.length && isComplete; from += 64) {
      const some = byName.slice(from, from + 64)
      const found = await Promise.all(some.map(async ({ name }) => identityOf(held.at(name))))
      for (const [at, { name }] of some.entries()) {
        const each = path === '' ? name : `${path}${sep}${name}`
        if (found[at] === undefined || name === '.git') continue
        if (entries.size >= most && !entries.has(each)) isComplete = false
        else entries.set(each, found[at])
        if (found[at].startsWith(FOLDER)) below.push(name)
      }
    }
    for (const name of below) {
      const each = path === '' ? name : `${path}${sep}${name}`
      if (packageFolders.has(name) && !last.includes(each)) last.push(each)
      if (packageFolders.has(name) || !isComplete) continue
      await within(held.enter(name), (folder) => list(folder, each))
    }
  }

  const nearest = near.filter((folder) => isWithin(root, folder)).map((folder) => relative(root, folder))
  for (const path of [...nearest, '']) await within(holdFolder(root, names(path)), (held) => list(held, path))
  for (const path of last) await within(holdFolder(root, names(path)), (held) => list(held, path))
  const hash = createHash('sha256')
  for (const entry of entries) hash.update(`${JSON.stringify(entry)}\n`)
  return { digest: hash.digest('hex'), entries, isComplete }
}

/** The paths that are new, gone or changed. What is only pushed over the end of a list that is not complete is none of them. */
export function changedFiles(before: LoadableFiles, now: LoadableFiles): readonly string[] {
  const paths = new Set([...comparable(before, now), ...comparable(now, before)])
  return [...paths].filter((path) => before.entries.get(path) !== now.entries.get(path))
}

function comparable({ entries }: LoadableFiles, other: LoadableFiles): readonly string[] {
  const paths = [...entries.keys()]
  return other.isComplete ? paths : paths.slice(0, paths.findLastIndex((path) => other.entries.has(path)) + 1)
}

function names(path: string): readonly string[] {
  return path.split(sep).filter(Boolean)
}

async function within(opening: Promise<HeldFolder>, use: (held: HeldFolder) => Promise<void>): Promise<void> {
  const held = await opening.catch((error: unknown) => {
    if (/^E[MN]FILE$/.test((error as NodeJS.ErrnoException).code ?? '')) throw error
    return undefined
  })
  try {
    if (held) await use(held)
  } finally {
    await held?.close()
  }
}

const FOLDER = 'folder '

async function identityOf(path: string): Promise<string | undefined> {
  try {
    const found = await lstat(path, { bigint: true })
    const { dev, ino, mode, size, mtimeNs, ctimeNs } = found
    if (found.isDirectory()) return `${FOLDER}${dev}:${ino}`
    return [dev, ino, mode, size, mtimeNs, ctimeNs].join(':')
  } catch {
    return undefined
  }
}
