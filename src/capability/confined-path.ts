import { lstat, realpath } from 'node:fs/promises'
import { basename, dirname, join, relative, resolve, sep } from 'node:path'
import { followWithin, isWithin, withOpened } from '../platform.ts'
import { readText, type TextRead, type TextReader } from '../tool.ts'

/** The longest path that is accepted, bytes, and the most names in it: every name is looked up in the file system. */
const LONGEST_PATH = 4096
const MOST_NAMES = 200

/** JSON Schema of a path of a file tool. */
export const pathInput = { type: 'string', maxLength: LONGEST_PATH }

/** A path within a folder, with every link resolved; or why it is not one, in a sentence that a model can use. */
type ConfinedPath = PathInFolder | { readonly type: 'refused'; readonly why: string }

export interface PathInFolder {
  readonly type: 'inside'
  /** Absolute, without links. */
  readonly path: string
  /** The folder itself, absolute, without links. */
  readonly root: string
  /** Names of the way from the folder; none for the folder itself. */
  readonly names: readonly string[]
  /** Folders in it that are out of reach, absolute, without links. */
  readonly closed: readonly string[]
  /** All that is out of reach, inside or not, as it was given. A list of its own for each path that is resolved. */
  readonly outOfReach: readonly string[]
}

/**
 * Resolves a path against a folder and keeps it there: links are followed before anything is compared, as far as the path
 * exists, and what lies outside is refused. It may name something that does not exist yet. `outOfReach` are folders that
 * nothing may touch although they lie inside. The world can change afterwards: the caller checks again when it opens the path.
 */
export async function confinedPath(
  folder: string,
  asked: string,
  outOfReach: readonly string[] = [],
): Promise<ConfinedPath> {
  if (asked === '') return refuse('the path is empty; . is the workspace itself')
  if (Buffer.byteLength(asked) > LONGEST_PATH) return refuse(`the path is longer than ${LONGEST_PATH} bytes`)
  if (asked.split(/[/\\]/).length > MOST_NAMES) return refuse(`the path has more than ${MOST_NAMES} names`)
  if (asked.includes('\0')) return refuse('a path cannot hold a NUL byte')
  if (!asked.isWellFormed()) return refuse('the path holds half a character (a lone surrogate)')
  const root = await realOrWhy(folder)
  if (root.type === 'refused') return refuse(`the workspace cannot be opened: ${root.why}`)
  const found = await followPath([root.path, resolve(folder)], resolve(root.path, asked))
  if (found.type === 'refused') return refuse(`${quotePath(asked)}: ${found.why}`)
  if (found.type === 'dangling') return refuse(`${quotePath(asked)}: it is a link that leads nowhere`)
  if (found.type === 'outside') {
    return refuse(
      `${quotePath(asked)} is outside the workspace; only paths within it are in reach, after links are followed`,
    )
  }
  const { names } = found
  const path = join(root.path, ...names)
  const closed = (await Promise.all(outOfReach.map(resolvedPath)))
    .filter((one) => one !== undefined)
    .filter((one) => one !== root.path && isWithin(root.path, one))
  if (closed.some((one) => isWithin(one, path))) return refuse(`${quotePath(asked)} is out of reach for tools`)
  return { type: 'inside', path, root: root.path, names, closed, outOfReach: [...outOfReach] }
}

/** Where an absolute path leads within a folder, whose first name is without links. Looks at nothing outside of the folder. */
async function followPath([root, ...aliases]: readonly [string, ...string[]], path: string) {
  const start = [root, ...aliases].find((one) => isWithin(one, path))
  if (start === undefined) return { type: 'outside' } as const
  try {
    const names = relative(start, path).split(sep).filter(Boolean)
    return await followWithin(root, names, aliases)
  } catch (error) {
    return refuse(explainCode(error as NodeJS.ErrnoException))
  }
}

/** A path without links, as far as it exists; `undefined` where that is unknown. */
export async function resolvedPath(path: string): Promise<string | undefined> {
  const real = await realOrWhy(path)
  return real.type === 'real' ? real.path : undefined
}

type Real = { readonly type: 'real'; readonly path: string } | { readonly type: 'refused'; readonly why: string }

/** Follows links as far as a path exists, and puts the rest behind. */
async function realOrWhy(path: string): Promise<Real> {
  try {
    return { type: 'real', path: await realpath(path) }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code !== 'ENOENT' || dirname(path) === path) return refuse(explainCode(error as NodeJS.ErrnoException))
  }
  // Nothing is there, or a link that leads to nothing: writing "to" that one would write wherever it points.
  if (await isLink(path)) return refuse('it is a link that leads nowhere')
  const parent = await realOrWhy(dirname(path))
  return parent.type === 'refused' ? parent : { type: 'real', path: join(parent.path, basename(path)) }
}

async function isLink(path: string): Promise<boolean> {
  try {
    return (await lstat(path)).isSymbolicLink()
  } catch {
    return false
  }
}

function explainCode({ code, message }: NodeJS.ErrnoException): string {
  if (code === 'ENOENT') return 'it does not exist'
  if (code === 'ELOOP') return 'its links lead in a circle'
  if (code === 'ENOTDIR') return 'a part of it is a file, not a folder'
  if (code === 'ENAMETOOLONG') return 'it is too long for a path'
  if (code === 'EACCES' || code === 'EPERM') return 'it may not be opened (permissions)'
  return message
}

function quotePath(asked: string): string {
  return JSON.stringify(asked.length > 200 ? `${asked.slice(0, 200)}…` : asked)
}

function refuse(why: string): { readonly type: 'refused'; readonly why: string } {
  return { type: 'refused', why }
}

/**
 * Reads files that become instructions, and only from these folders once links are followed: a folder that comes from
 * somebody else could otherwise hold a link to a key of this machine, and every model would read it.
 */
export function readerWithin(folders: readonly string[], read: TextReader = readText): TextReader {
  return async (path) => {
    let leadsOut = false
    for (const folder of folders) {
      const root = await realpath(folder).catch(() => undefined)
      if (root === undefined) continue
      const found = await followPath([root, folder], path)
      if (found.type === 'refused') return { type: 'unreadable', why: found.why }
      if (found.type === 'dangling') return { type: 'missing' }
      leadsOut = found.type === 'outside'
      if (found.type === 'outside') continue
      return withOpened(root, found.names, (opened) => read(opened)).catch(notOpened)
    }
    return leadsOut
      ? { type: 'unreadable', why: 'it is a link that leads out of its folder; put the file itself there' }
      : { type: 'missing' }
  }
}

function notOpened({ code, message }: NodeJS.ErrnoException): TextRead {
  if (code === 'ENOENT' || code === 'ENOTDIR') return { type: 'missing' }
  return {
    type: 'unreadable',
    why: code === 'ELOOP' ? 'it has become a link' : explainCode({ code, message } as NodeJS.ErrnoException),
  }
}
