import { constants, lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { PathInFolder } from '../../capability.ts'
import { isWithin } from '../../capability/toolkit.ts'
import { holdFolder } from '../../platform.ts'

/** Something in a folder of the workspace. Links are named, never followed. */
export interface WalkEntry {
  /** Path from the workspace, name by name. */
  readonly names: readonly string[]
  readonly kind: 'file' | 'folder' | 'link' | 'other'
  readonly bytes?: number
}

interface WalkOptions {
  readonly depth: number
  readonly signal: AbortSignal
  readonly onSkipped: (name: string) => void
}

/** Folders that programs fill: left out unless a path leads into them. */
const SKIPPED: ReadonlySet<string> = new Set(['.git', 'node_modules'])

export const DEEPEST = 64

/**
 * Everything in a folder, folders before their content, in the order of code units: the same on every machine. Leaves
 * out what cannot be read. Throws if it is cancelled.
 */
export async function* walkFolder(start: PathInFolder, options: WalkOptions): AsyncGenerator<WalkEntry> {
  const { depth, signal, onSkipped } = options
  if (depth < 1) return
  signal.throwIfAborted()
  for (const entry of await readEntries(start)) {
    const name = entry.names.at(-1)!
    if (entry.kind === 'folder' && SKIPPED.has(name)) onSkipped(name)
    else {
      const path = join(start.root, ...entry.names)
      if (start.closed.some((one) => isWithin(one, path))) continue
      yield entry
      if (entry.kind === 'folder') {
        yield* walkFolder({ ...start, path, names: entry.names }, { ...options, depth: depth - 1 })
      }
    }
  }
}

async function readEntries({ root, names }: PathInFolder): Promise<readonly WalkEntry[]> {
  const folder = await holdFolder(root, names).catch(() => undefined)
  if (!folder) return []
  try {
    const found = await readdir(folder.at('.'))
    const entries = await Promise.all(found.map((name) => readEntry(folder.at(name), [...names, name])))
    return entries
      .filter((one) => one !== undefined)
      .toSorted((left, right) => (lastName(left) < lastName(right) ? -1 : 1))
  } catch {
    return []
  } finally {
    await folder.close()
  }
}

/** `undefined` for what is gone again, or has a name that is not UTF-8. */
async function readEntry(path: string, names: readonly string[]): Promise<WalkEntry | undefined> {
  try {
    const { mode, size } = await lstat(path)
    const kind = entryKind(mode)
    return { names, kind, ...(kind === 'file' && { bytes: size }) }
  } catch {
    return undefined
  }
}

function entryKind(mode: number): WalkEntry['kind'] {
  switch (mode & constants.S_IFMT) {
    case constants.S_IFREG:
      return 'file'
    case constants.S_IFDIR:
      return 'folder'
    case constants.S_IFLNK:
      return 'link'
    default:
      return 'other'
  }
}

function lastName({ names }: WalkEntry): string {
  return names.at(-1)!
}
