import { lstat, mkdir, readdir, readFile, realpath, rm } from 'node:fs/promises'
import { dirname, isAbsolute, join, relative, sep } from 'node:path'
import {
  type Clock,
  errorMessage,
  isWithin,
  serialQueue,
  sha256,
  watchWrittenFiles,
  writeFileAtomically,
} from '../../platform.ts'
import type { SessionStore } from '../../session.ts'
import { homeAt } from './home.ts'

const LARGEST_BYTES = 8 * 1024 * 1024
const MOST_FILES = 5_000
/** The list of the paths that the store has. */
const LIST = 'home-files'
const keyOf = (path: string) => `home-file:${path}`

/** A file of a home as the store has it. */
interface StoredFile {
  readonly hash: string
  /** In base64. */
  readonly bytes: string
}

export interface HomeFilesOptions {
  readonly home: string
  readonly store: Pick<SessionStore, 'transaction' | 'value'>
  readonly clock: Clock
  /** Folders with files of the owner, such as what an agent remembers. Those in the home go with it. */
  readonly folders: readonly string[]
  readonly warn: (text: string) => void
  /** Nothing is stored: the home leaves this store. */
  readonly onlyBrings?: boolean
}

/**
 * The small files of a home on a database: prompts, profile, decisions about tools and subjects go with the home to whichever gateway has
 * it. What the store has is brought here first. A file that was changed here since it was last the same is stored, one that was changed
 * elsewhere replaces it, and where both happened the one from here is set aside. One that was removed, here or elsewhere, and not changed in
 * the other place, is gone in both. From then on who writes a file waits until it is stored.
 */
export async function openHomeFiles({
  home: given,
  store,
  clock,
  folders,
  warn,
  onlyBrings = false,
}: HomeFilesOptions) {
  const home = await realpath(given)
  const noteFile = join(homeAt(home).data, 'home-files.json')
  const same = await readNote(noteFile)
  const wasHere = Object.keys(same).length > 0
  const listed = new Set((await store.value(LIST)) as readonly string[] | undefined)
  // What else is in a home is of its machine, of the store, or of any size.
  const { context, toolAccessFile } = homeAt(given)
  const kept = [context, toolAccessFile, ...folders].filter((folder) => isWithin(given, folder))
  const isKept = (path: string) =>
    !/(?:^|[/\\])\./.test(path) && kept.some((folder) => isWithin(folder, join(given, path)))
  const written = new Set<string>()
  const { add: alone } = serialQueue()

  const stored = async (path: string) => (await store.value(keyOf(path))) as StoredFile | undefined

  async function bring(path: string): Promise<void> {
    const [there, here] = [await stored(path), await bytesAt(home, path)]
    if (there === undefined) return
    const hash = here && sha256(here)
    if (hash !== there.hash && hash !== undefined && hash !== same[path]) {
      if (there.hash === same[path]) return void written.add(path)
      const aside = await setAside(path, here!)
      // Where the home is for the first time, its files are those that every new one has.
      if (wasHere) warn(`${join(home, path)} was changed at another gateway, too. Yours is at ${aside}.`)
    }
    if (hash !== there.hash) {
      await mkdir(dirname(join(home, path)), { recursive: true, mode: 0o700 })
      await writeFileAtomically(join(home, path), Buffer.from(there.bytes, 'base64'))
    }
    same[path] = there.hash
  }

  async function setAside(path: string, bytes: Uint8Array): Promise<string> {
    const aside = join(homeAt(home).data, 'set-aside', `files ${clock.time().replaceAll(':', '-')}`, path)
    await mkdir(dirname(aside), { recursive: true, mode: 0o700 })
    await writeFileAtomically(aside, bytes)
    return aside
  }

  /** Returns whether the store had another file. */
  async function keep(path: string): Promise<boolean> {
    const bytes = await bytesAt(home, path)
    if (bytes === undefined || bytes.length > LARGEST_BYTES) return false
    const hash = sha256(bytes)
    if (hash === same[path]) return false
    const value: StoredFile = { hash, bytes: Buffer.from(bytes).toString('base64') }
    await store.transaction([
      { type: 'value', key: keyOf(path), value },
      ...(listed.has(path) ? [] : [{ type: 'value', key: LIST, value: [...listed, path].toSorted() } as const]),
    ])
    listed.add(path)
    same[path] = hash
    return true
  }

  /** Files that were the same here and in the store, and are not here any more, go from the store. All of them at once: it is a new machine. */
  async function forgetRemoved(): Promise<void> {
    const known = [...listed].filter((path) => isKept(path) && same[path] !== undefined)
    const gone: string[] = []
    for (const path of known) if (!(await isPresent(join(home, path)))) gone.push(path)
    if (gone.length === 0 || gone.length === known.length) return
    const removed: string[] = []
    for (const path of gone) if ((await stored(path))?.hash === same[path]) removed.push(path)
    if (removed.length === 0) return
    for (const path of removed) listed.delete(path)
    await store.transaction([
      ...removed.map((path) => ({ type: 'value', key: keyOf(path), value: null }) as const),
      { type: 'value', key: LIST, value: [...listed].toSorted() },
    ])
    for (const path of removed) delete same[path]
    await writeFileAtomically(noteFile, JSON.stringify(same))
  }

  /** Sets a file aside that was removed elsewhere since it was the same. Returns whether that is so. A store without any is another one. */
  async function isRemovedElsewhere(path: string): Promise<boolean> {
    const bytes = same[path] === undefined || listed.size === 0 ? undefined : await bytesAt(home, path)
    if (bytes === undefined || sha256(bytes) !== same[path]) return false
    delete same[path]
    await setAside(path, bytes)
    await rm(join(home, path), { force: true })
    return true
  }

  /** Stores what was written since, one file after the other. Rejects where that cannot be. */
  const flush = (): Promise<void> =>
    alone(async () => {
      let hasChanged = false
      // One that is written again meanwhile comes again.
      for (const path of written) {
        written.delete(path)
        try {
          hasChanged = (await keep(path)) || hasChanged
        } catch (error) {
          written.add(path)
          throw error
        }
      }
      if (hasChanged) await writeFileAtomically(noteFile, JSON.stringify(same))
    })

  if (!onlyBrings) await forgetRemoved()
  for (const path of listed) if (onlyBrings ? isSafe(path) : isKept(path)) await bring(path)
  await writeFileAtomically(noteFile, JSON.stringify(same))
  if (onlyBrings) return { close: async () => {} }
  const places = kept.map((folder) => relative(given, folder))
  for (const path of await filesIn(home, places, isKept)) {
    if (!listed.has(path) && !(await isRemovedElsewhere(path))) written.add(path)
  }
  await flush()
  await writeFileAtomically(noteFile, JSON.stringify(same))
  const stops = [...new Set([home, given])].map((folder) =>
    watchWrittenFiles(folder, async (path) => {
      const within = relative(folder, path)
      if (!isKept(within)) return
      written.add(within)
      await flush()
    }),
  )
  return {
    /** Stores what could not be stored before. Nothing is watched any more. */
    async close(): Promise<void> {
      for (const stop of stops) stop()
      await flush()
        .then(() => alone(forgetRemoved))
        .catch((error: unknown) => warn(`A file is not in the database: ${errorMessage(error)}`))
    },
  }
}

/** A path in a home, and none of what only a gateway writes. */
function isSafe(path: string): boolean {
  const parts = path.split(sep)
  return !isAbsolute(path) && !parts.includes('..') && !['data', 'people', 'config.json'].includes(parts[0]!)
}

/** The hashes of the files as they were when here and the store had the same. */
async function readNote(file: string): Promise<Record<string, string>> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as Record<string, string>
  } catch {
    return {}
  }
}

async function isPresent(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  )
}

async function bytesAt(home: string, path: string): Promise<Uint8Array | undefined> {
  return readFile(join(home, path)).catch(() => undefined)
}

/** Paths of the plain files in some folders of a home. Links are not followed. */
export async function filesIn(
  home: string,
  folders: readonly string[],
  isKept: (path: string) => boolean,
): Promise<readonly string[]> {
  const found: string[] = []
  const paths = [...folders]
  for (let path = paths.pop(); path !== undefined && found.length < MOST_FILES; path = paths.pop()) {
    const at = join(home, path)
    const facts = isKept(path) ? await lstat(at).catch(() => undefined) : undefined
    if (facts?.isDirectory()) for (const name of await readdir(at).catch(() => [])) paths.push(join(path, name))
    else if (facts?.isFile() && facts.size <= LARGEST_BYTES) found.push(path)
  }
  return found
}
