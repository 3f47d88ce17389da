import { lstat, mkdir, readFile, rm } from 'node:fs/promises'
import { dirname, join, relative, sep } from 'node:path'
import { z } from 'zod'
import type { AnyCapability } from '../../capability.ts'
import { type Clock, isWithin, sha256, writeFileAtomically } from '../../platform.ts'
import type { SessionStore } from '../../session.ts'
import { untilFirst } from '../edit-value.ts'
import { filesIn } from '../home/home-files.ts'
import { capabilitySettings, type Configuration, homeFolders } from '../configuration/configuration.ts'
import { SHARED_SETTINGS, type SharedOutcome, type SharedRow, sharedRowOf } from './share-settings.ts'
import { mergeNamed, type Named, withNamed } from './shared-settings.ts'

const LARGEST_BYTES = 2 * 1024 * 1024
const MOST_BYTES = 32 * 1024 * 1024
const MOST_FILES = 2_000

/** The list of the files that a team has, such as those of its skills. */
const LIST = 'gateway/files'
const keyOf = (hash: string) => `gateway/file:${hash}`

/** A file, as far as it has to be the same everywhere. */
const sharedFile = z.object({ hash: z.string(), isProgram: z.boolean() })
type SharedFile = z.infer<typeof sharedFile>
const sharedList = z.record(z.string(), sharedFile)

export interface FilesNote {
  /** By path, the files that here and the store had when they were the same. */
  readonly files: Named
  readonly version: number
  readonly machine: string
  readonly giving?: { readonly id: string; readonly files?: Named | undefined } | undefined
}

/** What a comparison of files has come to. */
export interface FilesOutcome extends Pick<SharedOutcome, 'version' | 'last' | 'isChanged' | 'isGiven' | 'waits'> {
  readonly refused: readonly string[]
}

interface FileSteps {
  /** Nothing is written anywhere. */
  readonly looks: boolean
  /** Called before something is stored. */
  readonly gives: (giving: NonNullable<FilesNote['giving']>) => Promise<void>
  /** Called with a file before it is removed, and before one from elsewhere replaces it that was changed here, too. */
  readonly setAside: (path: string, bytes: Uint8Array, isConflict: boolean) => Promise<void>
}

interface TeamFolders {
  readonly home: string
  readonly clock: Clock
  /** Relative to the home. */
  readonly folders: readonly string[]
  /** The name of a secret that is in some bytes. */
  readonly secretIn: (bytes: Uint8Array) => string | undefined
}

type Store = Pick<SessionStore, 'value' | 'transaction'>
type Files = Readonly<Record<string, SharedFile>>

/** Folders of a home whose files everybody here follows, such as skills. What is outside the home belongs to its machine. */
export function teamFolders(
  home: string,
  configuration: Configuration,
  capabilities: readonly AnyCapability[],
): readonly string[] {
  const shared = capabilities.filter((each) => {
    const settings: unknown = capabilitySettings(configuration, each)
    return each.home?.folders !== undefined && each.settings?.ofPerson?.(settings, '') === settings
  })
  const { workspace } = configuration.agent
  return homeFolders(configuration, shared)
    .filter((folder) => folder !== workspace && folder !== home && isWithin(home, folder))
    .map((folder) => relative(home, folder))
}

/**
 * Makes the files of a team the same here and in the store, one by one: what was changed or removed here alone is stored, what was changed
 * or removed elsewhere is written here. A program stays one.
 */
export async function shareFiles(
  at: TeamFolders,
  store: Store,
  note: FilesNote,
  { looks, gives, setAside }: FileSteps,
): Promise<FilesOutcome> {
  const { home, clock, folders } = at
  const id = clock.newId('change')
  const read = await readFiles(at)
  return untilFirst(async () => {
    const before = await store.value(SHARED_SETTINGS)
    const row = sharedRowOf(before)
    if (read.fault !== undefined) return nothing(row, note.files, [read.fault])
    const there = sharedList.parse((await store.value(LIST)) ?? {})
    const { giving } = note
    const known = giving?.files && row.given[note.machine] === giving.id ? giving.files : note.files
    // A folder that is empty is that of a new machine. And another database, or a copy of before, has removed nothing.
    const last = Object.keys(read.files).length === 0 || row.version < note.version ? {} : known
    const missing = Object.keys(last).filter((path) => !Object.hasOwn(read.files, path))
    // What is there and is not shared, such as a link or a large file, counts as it was.
    const here = withNamed(read.files, await present(home, missing), last) as Files
    const { incoming, outgoing, conflicts } = mergeNamed(last, here, there)
    if (looks) return { ...nothing(row, last, read.left), waits: outgoing.length > 0 }
    const next = withNamed(there, outgoing, here) as Files
    if (outgoing.length > 0) {
      await gives({ id, files: withNamed(last, outgoing, here) })
      const changed = { ...row, version: row.version + 1, given: { ...row.given, [note.machine]: id } }
      await give(store, { before, changed, there, next, bytes: read.bytes, folders, time: clock.time() })
    }
    const taken: string[] = []
    for (const path of incoming.filter(isIn(folders))) {
      const content = Object.hasOwn(there, path) ? await contentOf(store, there[path]!) : undefined
      // It was replaced again meanwhile.
      if (Object.hasOwn(there, path) && content === undefined) continue
      const former = read.bytes.get(path)
      const isConflict = conflicts.includes(path)
      if (former && (isConflict || content === undefined)) await setAside(path, former, isConflict)
      await put(join(home, path), there[path], content)
      taken.push(path)
    }
    const now = withNamed(here, taken, there)
    const still = mergeNamed({}, now, next)
    return {
      version: row.version + (outgoing.length > 0 ? 1 : 0),
      // Where they differ still, the next comparison finds the same.
      last: withNamed(next, [...still.incoming, ...still.outgoing], last),
      isChanged: taken.length > 0,
      isGiven: outgoing.length > 0,
      waits: false,
      refused: read.left,
    }
  })
}

function nothing({ version }: SharedRow, last: Named, refused: readonly string[]): FilesOutcome {
  return { version, last, isChanged: false, isGiven: false, waits: false, refused }
}

/** Whether a path is a file that can be in one of these folders. */
function isIn(folders: readonly string[]): (path: string) => boolean {
  return (path) => {
    const parts = path.split(/[/\\]/)
    const isPlain = parts.every((part) => part !== '' && !part.startsWith('.'))
    return isPlain && folders.some((folder) => path.startsWith(folder + sep))
  }
}

/** What is in the folders, without files that are too large and those that hold a secret. */
async function readFiles({ home, folders, secretIn }: TeamFolders) {
  const paths = await filesIn(home, folders, (path) => folders.includes(path) || isIn(folders)(path))
  const files: Record<string, SharedFile> = {}
  const bytes = new Map<string, Uint8Array>()
  const left: string[] = []
  let size = 0
  for (const path of paths) {
    const { mode, size: own } = await lstat(join(home, path))
    if (own > LARGEST_BYTES) continue
    size += own
    if (size > MOST_BYTES || bytes.size === MOST_FILES) {
      const most = `${MOST_FILES} files and ${MOST_BYTES / 1024 / 1024} MB`
      return { fault: `${folders.join(', ')} has more than ${most}, and nothing of it is shared with other gateways.` }
    }
    const content = await readFile(join(home, path))
    const secret = secretIn(content)
    if (secret !== undefined) {
      left.push(`${path} is not shared with other gateways: ${secret} is in it.`)
      continue
    }
    files[path] = { hash: sha256(content), isProgram: (mode & 0o100) !== 0 }
    bytes.set(path, content)
  }
  return { files, bytes, left }
}

/** Those of some paths at which there is something. */
async function present(home: string, paths: readonly string[]): Promise<readonly string[]> {
  const facts = await Promise.all(paths.map((path) => lstat(join(home, path)).catch(() => undefined)))
  return paths.filter((_, at) => facts[at] !== undefined)
}

/** Stores the contents, and then the list with them, whole or not at all. Throws StoreError `conflict` where others were first. */
async function give(
  store: Store,
  {
    before,
    changed,
    there,
    next,
    bytes,
    folders,
    time,
  }: {
    readonly before: unknown
    readonly changed: SharedRow
    readonly there: Files
    readonly next: Files
    readonly bytes: ReadonlyMap<string, Uint8Array>
    readonly folders: readonly string[]
    readonly time: string
  },
): Promise<void> {
  const stored = new Set(Object.values(there).map(({ hash }) => hash))
  const used = new Set(Object.values(next).map(({ hash }) => hash))
  for (const [path, { hash }] of Object.entries(next)) {
    const content = stored.has(hash) ? undefined : bytes.get(path)
    if (content === undefined) continue
    const value = Buffer.from(content).toString('base64')
    await store.transaction([{ type: 'value', key: keyOf(hash), value }])
  }
  const unused = [...stored].filter((hash) => !used.has(hash))
  const reason = `files of ${folders.join(', ')} given to the gateways on the database`
  await store.transaction([
    { type: 'value', key: SHARED_SETTINGS, value: changed, was: { value: before } },
    { type: 'value', key: LIST, value: next },
    ...unused.map((hash) => ({ type: 'value', key: keyOf(hash), value: null }) as const),
    { type: 'audit', facts: { kind: 'change', rule: folders.join(', '), reason }, time },
  ])
}

async function contentOf(store: Store, { hash }: SharedFile): Promise<Uint8Array | undefined> {
  const value = await store.value(keyOf(hash))
  const bytes = typeof value === 'string' ? Buffer.from(value, 'base64') : undefined
  return bytes && sha256(bytes) === hash ? bytes : undefined
}

async function put(path: string, file: SharedFile | undefined, content: Uint8Array | undefined): Promise<void> {
  if (file === undefined || content === undefined) return rm(path, { force: true })
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  await writeFileAtomically(path, content, { mode: file.isProgram ? 0o700 : 0o600 })
}
