import { constants, lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { PathInFolder } from '../../capability.ts'
import { holdFolder, isWithin } from '../../platform.ts'
import { printableName } from './text-file.ts'

/** Something in a folder of the workspace. Links are named, never followed. */
export interface WalkEntry {
  /** Path from the workspace, name by name. */
  readonly names: readonly string[]
  /** The path as one visible line. Names that differ by the form of their characters alone show their accents as escapes. */
  readonly shown: string
  readonly kind: 'file' | 'folder' | 'link' | 'other'
  readonly bytes?: number
}

interface WalkOptions {
  readonly depth: number
  readonly signal: AbortSignal
  readonly onSkipped: (name: string) => void
  /** The place that it begins at, as a visible line. */
  readonly shown?: string
}

/** Folders that programs fill: left out unless a path leads into them. */
const SKIPPED: ReadonlySet<string> = new Set(['.git', 'node_modules'])

export const DEEPEST = 64

/** Everything in a folder, folders first, by code units. Leaves out what cannot be read. Throws if it is cancelled. */
export async function* walkFolder(start: PathInFolder, options: WalkOptions): AsyncGenerator<WalkEntry> {
  const { depth, signal, onSkipped, shown = printableName(start.names.join('/')) } = options
  if (depth < 1) return
  signal.throwIfAborted()
  for (const entry of await readEntries(start, shown)) {
    const name = entry.names.at(-1)!
    if (entry.kind === 'folder' && SKIPPED.has(name)) onSkipped(name)
    else {
      const path = join(start.root, ...entry.names)
      if (start.closed.some((one) => isWithin(one, path))) continue
      yield entry
      if (entry.kind === 'folder') {
        yield* walkFolder({ ...start, path, names: entry.names }, { ...options, depth: depth - 1, shown: entry.shown })
      }
    }
  }
}

async function readEntries({ root, names }: PathInFolder, above: string): Promise<readonly WalkEntry[]> {
  const folder = await holdFolder(root, names).catch(() => undefined)
  if (!folder) return []
  try {
    const found = await readdir(folder.at('.'))
    const forms = Map.groupBy(found, (name) => name.normalize('NFC'))
    const shownAs = (name: string) => {
      const plain = name.normalize('NFC')
      const isTwin = name !== plain && forms.get(plain)!.length > 1
      return [...(above === '' ? [] : [above]), printableName(name, isTwin ? /\p{M}/gu : undefined)].join('/')
    }
    const entries = await Promise.all(found.map((name) => readEntry(folder.at(name), [...names, name], shownAs(name))))
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
async function readEntry(path: string, names: readonly string[], shown: string): Promise<WalkEntry | undefined> {
  try {
    const { mode, size } = await lstat(path)
    const kind = entryKind(mode)
    return { names, shown, kind, ...(kind === 'file' && { bytes: size }) }
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

/** The most alternatives that braces may produce, and the most braces that are expanded. */
const MOST_ALTERNATIVES = 100
const MOST_BRACES = 100

/**
 * `*` and `?` within a name, `**` for any folders, `{a,b}` for alternatives. A pattern without `/` fits a name in any
 * folder, whichever form its characters have (NFC, NFD). The time is proportional to the lengths of pattern and path.
 */
export function globMatcher(glob: string): (path: string) => boolean {
  const patterns = alternatives(glob.normalize('NFC')).map((one) => {
    const segments = one.split('/').filter((segment) => segment !== '' && segment !== '.')
    return segments.length === 1 ? ['**', ...segments] : segments
  })
  return (path) => {
    const names = path.normalize('NFC').split('/')
    return patterns.some((segments) =>
      fitsSequence(segments.length, names.length, {
        isStar: (index) => segments[index] === '**',
        isSame: (index, place) => fitsName(Array.from(segments[index]!), Array.from(names[place]!)),
      }),
    )
  }
}

/** A pattern without its braces, once for each choice; as it is where there are too many of them. */
function alternatives(glob: string): readonly string[] {
  let open = [glob]
  const done: string[] = []
  if (glob.split('{').length > MOST_BRACES) return [glob]
  while (open.length > 0) {
    if (open.length + done.length > MOST_ALTERNATIVES) return [glob]
    open = open.flatMap((one) => {
      const choice = /\{([^{}]*)\}/.exec(one)
      if (choice) return choice[1]!.split(',').map((word) => one.replace(choice[0], () => word))
      done.push(one)
      return []
    })
  }
  return done
}

function fitsName(pattern: readonly string[], name: readonly string[]): boolean {
  return fitsSequence(pattern.length, name.length, {
    isStar: (index) => pattern[index] === '*',
    isSame: (index, place) => pattern[index] === '?' || pattern[index] === name[place],
  })
}

interface Comparison {
  readonly isStar: (index: number) => boolean
  readonly isSame: (index: number, place: number) => boolean
}

/** Whether a pattern with stars fits: only the last star ever grows, so nothing is tried twice. */
function fitsSequence(patternLength: number, length: number, { isStar, isSame }: Comparison): boolean {
  let [index, place] = [0, 0]
  let [star, taken] = [-1, 0]
  while (place < length) {
    if (index < patternLength && isStar(index)) {
      star = index
      taken = place
      index += 1
    } else if (index < patternLength && isSame(index, place)) {
      index += 1
      place += 1
    } else if (star !== -1) {
      taken += 1
      place = taken
      index = star + 1
    } else return false
  }
  while (index < patternLength && isStar(index)) index += 1
  return index === patternLength
}
