import { closeSync, fstatSync, readlinkSync } from 'node:fs'
import { lstat } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import { holdEntry, holdRealFolder } from '../../platform.ts'
import type { Hidden } from './bubblewrap.ts'
import { unlessClosed } from './owner-search.ts'

/** An entry that is hidden or protected, and how. */
export interface Cover {
  readonly path: string
  readonly kind: Hidden['kind'] | 'read-only'
}

interface MovedCover extends Cover {
  /** As `DEVICE:INODE`. */
  readonly identity: string
  /** Of the folder that holds it. */
  readonly folder: string
}

/** How often the place of an entry is looked for that is moved meanwhile. */
const MOST_LOOKS = 10

/**
 * Holds open what is hidden or protected in writable folders while programs live there. One of them can rename a folder above a cover
 * or move it to where nothing is searched, and it can remove the link that made the cover one: the search for the next program would
 * not find it. Its descriptor does. Calls must follow one another.
 */
export function createHeldCovers() {
  /** By the path where each was covered last. */
  let held: HeldCover[] = []

  function keepOnly(kept: ReadonlySet<HeldCover>): void {
    const closed = held.filter((one) => !kept.has(one))
    held = [...kept]
    for (const { file } of closed) closeSync(file)
  }

  /**
   * Holds these covers too, and answers those held before that are none of them, wherever they are now.
   *
   * @throws Error if one is moved all the time, or too many files are open
   */
  async function hold(covers: readonly Cover[]): Promise<readonly MovedCover[]> {
    const paths = new Set(covers.map(({ path }) => path))
    const places = new Map<string, MovedCover>()
    const kept = new Set<HeldCover>()
    for (const one of held) {
      const place = await placeOf(one)
      if (!place || places.has(place.path)) continue
      places.set(place.path, place)
      kept.add(one)
      if (paths.has(place.path)) one.path = place.path
    }
    keepOnly(kept)
    for (const cover of covers) {
      const file = places.has(cover.path) ? undefined : await unlessClosed(async () => holdEntry(cover.path))
      if (file !== undefined) held.push({ ...cover, file })
    }
    return [...places.values()].filter(({ path }) => !paths.has(path))
  }

  /** Once no program lives: what none of them moved will be found by the next search. */
  async function release(): Promise<void> {
    const places = await Promise.all(held.map((one) => placeOf(one).catch(() => ({ path: '' }))))
    keepOnly(new Set(held.filter(({ path }, index) => places[index] && places[index].path !== path)))
  }

  return { hold, release }
}

interface HeldCover {
  path: string
  readonly kind: Cover['kind']
  /** An open descriptor. */
  readonly file: number
}

/** `undefined` for what is gone, or is a folder that is closed to this account no more. */
async function placeOf({ kind, file }: HeldCover): Promise<MovedCover | undefined> {
  let path = ''
  for (let looks = 0; looks < MOST_LOOKS; looks++) {
    const { dev, ino, nlink, mode } = fstatSync(file, { bigint: true })
    if (nlink === 0n || (kind === 'folder' && (mode & 0o500n) === 0o500n)) return undefined
    path = readlinkSync(`/proc/self/fd/${file}`)
    const folder = await unlessClosed(() => holdRealFolder(dirname(path)))
    try {
      const found = folder && (await lstat(folder.at(basename(path)), { bigint: true }))
      if (found?.dev === dev && found.ino === ino) {
        return { path, kind, identity: `${dev}:${ino}`, folder: await folder!.identity() }
      }
    } catch {
      // It was moved since.
    } finally {
      await folder?.close()
    }
  }
  // One of several names of a file was removed.
  if (path.endsWith(' (deleted)') && fstatSync(file).isFile()) return undefined
  throw new Error(`another program moves ${path} all the time, which has to be covered. End it and try again`)
}
