import { type BigIntStats } from 'node:fs'
import { lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { isWithin } from '../platform.ts'
import { type PathInFolder, resolvedPath } from './confined-path.ts'

/** The most entries that one search for the names of a file looks at. */
const MOST_ENTRIES = 50_000

/** The files of places that are out of reach, as `DEVICE:INODE`; `undefined` where there are too many to know them. */
type KeptFiles = ReadonlySet<string> | undefined

/** One look for each call of a tool: the list is made again for each. */
const looks = new WeakMap<PathInFolder['outOfReach'], Promise<KeptFiles>>()

/**
 * Whether a file with several names is one that is out of reach under its other name: a hard link in the workspace to the
 * token of the gateway, for example. Other links are ordinary, as in a `node_modules` that pnpm made. Where the names cannot
 * be known, it counts as one.
 */
export async function isKeptElsewhere({ dev, ino, nlink }: FileIdentity, place: PathInFolder): Promise<boolean> {
  if (nlink < 2n) return false
  let look = looks.get(place.outOfReach)
  if (!look) looks.set(place.outOfReach, (look = findKeptFiles(place)))
  const kept = await look
  return kept === undefined || kept.has(`${dev}:${ino}`)
}

type FileIdentity = Pick<BigIntStats, 'dev' | 'ino' | 'nlink'>

async function findKeptFiles({ root, outOfReach }: PathInFolder): Promise<KeptFiles> {
  const found = new Set<string>()
  const open = (await Promise.all(outOfReach.map(resolvedPath))).filter((path) => path !== undefined)
  const seen = new Set<string>()
  let entries = 0
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    // The home may contain the workspace: what lies in that is in reach, unless it is a place of its own.
    if (seen.has(next) || next === root) continue
    seen.add(next)
    if (++entries > MOST_ENTRIES) return undefined
    const facts = await lstat(next, { bigint: true }).catch(() => undefined)
    if (facts?.isFile()) found.add(`${facts.dev}:${facts.ino}`)
    if (!facts?.isDirectory()) continue
    const path = next
    const inside = (await readdir(path).catch(() => [])).map((name) => join(path, name))
    open.push(...inside.filter((each) => !isWithin(root, each) || isWithin(root, path)))
  }
  return found
}
