import { existsSync } from 'node:fs'
import { copyFile, link, mkdir, mkdtemp, realpath, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join, relative, resolve } from 'node:path'
import type { AnyCapability, IndexFile } from '../../capability.ts'
import { errorMessage, syncFolder } from '../../platform.ts'
import { copySearchIndex } from '../../search.ts'
import {
  type AuditKey,
  budgetLedgerFile,
  copyBudgetLedger,
  isStoreFile,
  openBlobs,
  snapshotStore,
  storePath,
} from '../../session.ts'
import { homeAt, peopleHomesIn, readAuditKey } from '../../runtime.ts'
import { FORMAT } from './archive-format.ts'
import { BackupError, diskFault, refuseDatabase } from './backup-error.ts'
import {
  type HomeFile,
  homeFiles,
  isMissing,
  partialName,
  preparingPrefix,
  type RegularFile,
  removePartials,
  removePreparing,
} from './home-files.ts'
import { readArchive } from './read-archive.ts'
import { writeArchive } from './write-archive.ts'

interface BackupProgress {
  readonly stage: 'copying the store' | 'packing' | 'reading it back'
  readonly done?: number
  readonly all?: number
}

/** An archive that was written and read back. */
interface Backup {
  readonly file: string
  readonly bytes: number
  readonly files: number
  readonly leftOut: readonly string[]
}

/** How often bytes that were removed while they were being collected lead to a new look at the store. */
const TRIES = 5

/**
 * Saves a home as one archive, beside a running gateway or without one: the stores as they are at one moment, exactly the
 * files that they name, and everything else in the home. The archive is read back before it gets its name.
 *
 * @throws BackupError `elsewhere`, `exists`, `io`; StoreError
 */
export async function backupHome(options: {
  readonly home: string
  /** Those of the home: their search indexes are part of the archive. */
  readonly capabilities?: readonly AnyCapability[]
  readonly file: string
  readonly replaces?: boolean
  readonly version: string
  readonly time: string
  readonly signal?: AbortSignal
  readonly onProgress?: (progress: BackupProgress) => void
}): Promise<Backup> {
  const { home, capabilities = [], version, time, signal, onProgress } = options
  await refuseDatabase(home)
  const file = await archivePath(options.file)
  if (existsSync(file) && (await stat(file)).isDirectory()) {
    throw new BackupError('exists', `${file} is a folder. Name a file in it, such as ${join(file, 'foreword.tar.gz')}.`)
  }
  if (existsSync(file) && options.replaces !== true) {
    throw new BackupError('exists', `${file} exists already. Name another file, or replace it with --force.`)
  }
  const { data } = homeAt(home)
  if (!existsSync(home)) throw new BackupError('io', `There is no home at ${home}. Name one with --home.`)
  const partial = partialName(file, process.pid)
  const room = existsSync(data) ? data : home
  await removePartials(dirname(file), basename(file), time)
  await removePreparing(room, time)
  const preparing = await mkdtemp(join(room, preparingPrefix(process.pid))).catch((error: unknown) => {
    throw diskFault(error, room)
  })
  try {
    const isApart = (path: string) => path === file || path === partial || path === preparing
    onProgress?.({ stage: 'copying the store' })
    const indexes = capabilities.flatMap((capability) => capability.home?.indexes ?? [])
    const isCopied = (name: string) => isStoreFile(name) || indexes.some(({ file: index }) => name.startsWith(index))
    const homes = [home, ...(await peopleHomesIn(home))]
    const stored: StoredFiles[] = []
    for (const [index, each] of homes.entries()) {
      const folder = join(preparing, String(index))
      await mkdir(folder)
      stored.push(await copyStore(indexes, relative(home, homeAt(each).data), { home, preparing: folder }))
    }
    const folders = new Set(homes.map((each) => homeAt(each).data))
    const listing = await homeFiles(
      home,
      (path) => isApart(path) || (folders.has(dirname(path)) && isCopied(basename(path))),
    )
    const files = [...listing.files, ...stored.flatMap((each) => each.files)].toSorted((one, other) =>
      one.path < other.path ? -1 : 1,
    )
    const all = files.reduce((sum, each) => sum + (each.type === 'file' ? each.bytes : 0), 0)
    const { digests, leftOut } = await writeArchive(
      partial,
      { header: { format: FORMAT, version, created: time }, files, preparing, key: await auditKeyOf(home) },
      { signal, onProgress: (done) => onProgress?.({ stage: 'packing', done, all }) },
    ).catch((error: unknown) => {
      throw diskFault(error, dirname(file))
    })
    await readArchive(partial, {
      signal,
      onProgress: (done, size) => onProgress?.({ stage: 'reading it back', done, all: size }),
    })
    await rename(partial, file)
    await syncFolder(dirname(file))
    const { size } = await stat(file)
    return {
      file,
      bytes: size,
      files: digests.length,
      leftOut: [...stored.flatMap((each) => each.leftOut), ...listing.leftOut, ...leftOut],
    }
  } finally {
    await rm(partial, { force: true })
    await rm(preparing, { recursive: true, force: true })
  }
}

/** A damaged key is no reason to save nothing: the archive has no signature then. */
function auditKeyOf(home: string): Promise<AuditKey | undefined> {
  return readAuditKey(home).catch(() => undefined)
}

/** The real path of the archive, so that one inside the home does not become part of itself. */
async function archivePath(file: string): Promise<string> {
  const folder = dirname(resolve(file))
  try {
    return join(await realpath(folder), basename(file))
  } catch (error) {
    throw new BackupError('io', `There is no folder ${folder}. Create it first, or name another file.`, {
      cause: error,
    })
  }
}

interface StoredFiles {
  readonly files: readonly HomeFile[]
  readonly leftOut: readonly string[]
}

/** A store as it is now, and the bytes that it names, held by links so that nobody can remove them meanwhile. `folder` is its place in the home. */
async function copyStore(
  indexes: readonly IndexFile[],
  folder: string,
  { home, preparing }: { readonly home: string; readonly preparing: string },
): Promise<StoredFiles> {
  const data = join(home, folder)
  const leftOut: string[] = []
  const files: HomeFile[] = []
  if (existsSync(storePath(data))) {
    const { name, held, missing } = await holdBlobs(data, preparing)
    leftOut.push(
      ...missing.map((hash) => `${folder}/files/${hash}: the store refers to these bytes, and they are missing`),
    )
    files.push(await regularFile(`${folder}/${name}`, join(preparing, name)))
    for (const hash of held)
      files.push(await regularFile(`${folder}/files/${hash.slice(0, 2)}/${hash}`, join(preparing, hash)))
  }
  // After the log: what it has and the log has not stays spent, and the other way round the next start adds it.
  if (existsSync(join(data, budgetLedgerFile))) {
    try {
      copyBudgetLedger(join(data, budgetLedgerFile), join(preparing, budgetLedgerFile))
      files.push(await regularFile(`${folder}/${budgetLedgerFile}`, join(preparing, budgetLedgerFile)))
    } catch (error) {
      leftOut.push(`${folder}/${budgetLedgerFile}: ${errorMessage(error)}; the next start fills budgets from the log`)
    }
  }
  for (const { file } of indexes) {
    if (!existsSync(join(data, file))) continue
    try {
      copySearchIndex(join(data, file), join(preparing, file))
      files.push(await regularFile(`${folder}/${file}`, join(preparing, file)))
    } catch (error) {
      leftOut.push(`${folder}/${file}: ${errorMessage(error)}; the next start builds the index again`)
    }
  }
  return { files, leftOut }
}

/** The file of a copy of the store, and hashes of bytes that it names: those that are held, and those that are truly missing. */
interface Held {
  readonly name: string
  readonly held: readonly string[]
  readonly missing: readonly string[]
}

/** Bytes that are removed between the copy and the look at them lead to a new copy, which does not name them. */
async function holdBlobs(data: string, preparing: string): Promise<Held> {
  const blobs = openBlobs(join(data, 'files'))
  for (let attempt = 1; ; attempt += 1) {
    const { name, fault, fileHashes } = snapshotStore(storePath(data), preparing)
    if (fault !== undefined) throw new BackupError('damaged', `The store ${storePath(data)} is damaged: ${fault}`)
    const held: string[] = []
    const missing: string[] = []
    for (const hash of fileHashes) {
      const there = await hold(blobs.path(hash), join(preparing, hash))
      if (there) held.push(hash)
      else missing.push(hash)
    }
    if (missing.length === 0 || attempt === TRIES) return { name, held, missing }
  }
}

/** Gives the same bytes a second name; where the file system has no links, a copy. Returns whether they are there. */
async function hold(path: string, held: string): Promise<boolean> {
  if (existsSync(held)) return true
  try {
    await link(path, held).catch(async (error: unknown) => {
      if (isMissing(error)) throw error
      await copyFile(path, held)
    })
    return true
  } catch (error) {
    if (isMissing(error)) return false
    throw error
  }
}

async function regularFile(path: string, source: string): Promise<RegularFile> {
  const { size, mtime } = await stat(source)
  return { type: 'file', path, mode: 0o600, modified: mtime, bytes: size, source, stable: true }
}
