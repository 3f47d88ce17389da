import { lstat, readdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type HeldFolder, holdRealFolder, isWithin } from '../../platform.ts'
import { isBelow } from './bubblewrap.ts'
import { existingPaths } from './hidden-places.ts'

/** The most entries of one place that are compared, those nearest to it. */
const MOST_COMPARED = 1000

/** Hard links in writable folders to files that are kept elsewhere: each is treated as its other name is. */
export async function linksToKept(writable: readonly string[], hidden: readonly string[], readOnly: readonly string[]) {
  const [secret, owned] = await Promise.all(
    [hidden, readOnly].map(async (places) => linkedFiles(await existingPaths(places), writable, MOST_COMPARED)),
  )
  const names = await otherNames(writable, secret!.identities.union(owned!.identities))
  const isSecret = ({ identity }: { readonly identity: string }) => secret!.identities.has(identity)
  return {
    hidden: names.filter(isSecret).map(({ path }) => ({ path, kind: 'file' as const })),
    readOnly: names.filter((one) => !isSecret(one)).map(({ path }) => path),
    identities: names.flatMap(({ path, identity, folder }) => [
      [path, identity] as const,
      [dirname(path), folder] as const,
    ]),
  }
}

/** The most folders that are searched for other names of files. */
const MOST_FOLDERS = 20_000

/** Files that have several names, so that one may lie elsewhere. */
export interface LinkedFiles {
  /** As `DEVICE:INODE`. */
  readonly identities: ReadonlySet<string>
  /** `false` where a place holds more than was looked at. */
  readonly isComplete: boolean
}

/**
 * Finds the files with several names in places and below them, of each place the `most` nearest entries. What lies in a
 * `reachable` folder does not count, unless it is a place of its own. Follows no link.
 */
export async function linkedFiles(
  places: readonly string[],
  reachable: readonly string[],
  most: number,
): Promise<LinkedFiles> {
  const identities = new Set<string>()
  const isReachable = (path: string) => reachable.some((folder) => isWithin(folder, path))
  const outer = new Set(
    places.filter((path) => isReachable(path) || !places.some((other) => isBelow(other, path) && !isReachable(other))),
  )
  const searched = await Promise.all(
    [...outer].filter((path) => !reachable.includes(path)).map((place) => search(place, isReachable(place))),
  )

  async function search(place: string, isOwn: boolean): Promise<boolean> {
    const found = [place]
    for (const [index, path] of found.entries()) {
      if (index === most) return false
      const facts = await lstat(path, { bigint: true }).catch(() => undefined)
      if (facts?.isFile() && facts.nlink > 1n) identities.add(`${facts.dev}:${facts.ino}`)
      if (!facts?.isDirectory()) continue
      for (const name of await readdir(path).catch(() => [])) {
        const inside = join(path, name)
        if (found.length > most) break
        if (isOwn || !isReachable(inside)) found.push(inside)
      }
    }
    return true
  }

  return { identities, isComplete: searched.every(Boolean) }
}

interface OtherName {
  readonly path: string
  readonly identity: string
  /** Of the folder that holds it. */
  readonly folder: string
}

/**
 * Where files lie in folders, by their identities: absolute paths. Looks at nothing where there are no identities.
 *
 * @throws Error if there are more folders than can be searched
 */
export async function otherNames(
  folders: readonly string[],
  identities: ReadonlySet<string>,
): Promise<readonly OtherName[]> {
  const names: OtherName[] = []
  let left = MOST_FOLDERS

  async function search(held: HeldFolder, folder: string): Promise<void> {
    if (left-- === 0) throw new Error('there are too many folders to look for other names of files that are kept')
    const inside: string[] = []
    for (const name of await readdir(held.at('.')).catch(() => [])) {
      const facts = await lstat(held.at(name), { bigint: true }).catch(() => undefined)
      if (facts?.isDirectory()) inside.push(name)
      const identity = `${facts?.dev}:${facts?.ino}`
      if (facts?.isFile() && identities.has(identity)) {
        names.push({ path: join(folder, name), identity, folder: await held.identity() })
      }
    }
    for (const name of inside) {
      const next = await held.enter(name).catch(() => undefined)
      if (!next) continue
      try {
        await search(next, join(folder, name))
      } finally {
        await next.close()
      }
    }
  }

  if (identities.size === 0) return names
  for (const folder of folders) {
    const held = await holdRealFolder(folder)
    try {
      await search(held, folder)
    } finally {
      await held.close()
    }
  }
  return names
}
