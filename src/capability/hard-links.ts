import { type BigIntStats } from 'node:fs'
import { linkedFiles, personalSecrets } from '../tool.ts'
import { type PathInFolder, resolvedPath } from './confined-path.ts'

/** The most entries of one place that a search for the names of a file looks at: all of what is out of reach, or nothing is known. */
const MOST_ENTRIES = 50_000

/** In a place of keys, such as the profile of a browser, those nearest to it. */
const MOST_PERSONAL = 1000

/** The files of places that are out of reach, as `DEVICE:INODE`; `undefined` where there are too many to know them. */
type KeptFiles = ReadonlySet<string> | undefined

/** One look for each call of a tool: the list is made again for each. */
const looks = new WeakMap<PathInFolder['outOfReach'], Promise<KeptFiles>>()

/**
 * Whether a file with several names is one that is out of reach under its other name: a hard link in the workspace to the
 * token of the gateway or to a key of a person, for example. Other links are ordinary, as in a `node_modules` that pnpm made.
 * Where the names cannot be known, it counts as one.
 */
export async function isKeptElsewhere({ dev, ino, nlink }: FileIdentity, place: PathInFolder): Promise<boolean> {
  if (nlink < 2n) return false
  let look = looks.get(place.outOfReach)
  if (!look) looks.set(place.outOfReach, (look = findKeptFiles(place)))
  const kept = await look
  return kept === undefined || kept.has(`${dev}:${ino}`)
}

type FileIdentity = Pick<BigIntStats, 'dev' | 'ino' | 'nlink'>

/** The home may contain the workspace: what lies in that is in reach, unless it is a place of its own. */
async function findKeptFiles({ root, outOfReach }: PathInFolder): Promise<KeptFiles> {
  const [own, personal] = await Promise.all(
    [
      { places: outOfReach, most: MOST_ENTRIES },
      { places: personalSecrets({}), most: MOST_PERSONAL },
    ].map(async ({ places, most }) => {
      const real = (await Promise.all(places.map(resolvedPath))).filter((path) => path !== undefined)
      return linkedFiles(real, [root], most)
    }),
  )
  return own!.isComplete ? own!.identities.union(personal!.identities) : undefined
}
