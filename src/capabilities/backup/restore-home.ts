import { createWriteStream, existsSync } from 'node:fs'
import { chmod, mkdir, realpath, symlink, utimes } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import type { Writable } from 'node:stream'
import { type Clock, defined, foldCase, isWithin } from '../../platform.ts'
import {
  type AuditVerdict,
  findStoreFault,
  openStore,
  storePath,
  readArchivedPosition,
  verifyAudit,
} from '../../session.ts'
import {
  arrivingHome,
  completeRestore,
  homeAt,
  isRestorePending,
  peopleHomesIn,
  placeArrivals,
  readAuditKey,
  removeArrivals,
  replacedNames,
} from '../../runtime.ts'
import { type RestoredContent, restoredContent } from './archive-content.ts'
import { BackupError, diskFault } from './backup-error.ts'
import { type ArchivedFile, readArchive } from './read-archive.ts'

interface RestoreOptions {
  /** An absolute path. Its claim is held by this process. */
  readonly home: string
  readonly clock: Clock
  /** Where the checkpoints of the audit of a home are written, as the configuration there names them. */
  readonly findTargets: Parameters<typeof placeArrivals>[0]['findTargets']
  readonly file: string
  /** What a configuration runs beside the gateway without a sandbox, as clauses. */
  readonly findPrograms: (home: string) => Promise<readonly string[]>
  /** Id of the key that has to have signed the archive. */
  readonly signedBy?: string
  /** Asked before anything is put in place: `false` keeps the home as it is. */
  readonly confirm?: (content: RestoredContent) => Promise<boolean>
  /** Moves the content of the home aside. */
  readonly replaces?: boolean
  readonly time: string
  readonly signal?: AbortSignal
  readonly onProgress?: (progress: RestoreProgress) => void
}

interface RestoreProgress {
  readonly stage: string
  /** Bytes of the archive; absent where unknown. */
  readonly done?: number
  readonly all?: number
}

interface Restored {
  readonly home: string
  /** When the archive was written, ISO 8601, and by which version of Foreword. */
  readonly created: string
  readonly version: string
  readonly files: number
  readonly audit: AuditVerdict
  readonly content: RestoredContent
  /** Where the former content of the home is now; absent where there was none. */
  readonly aside?: string
}

/**
 * Puts the content of an archive in the place of a home. Everything is unpacked beside it and examined first: an archive
 * that is damaged, cut off or too new changes nothing. A crash after that is made good by the next start. What the policy of an
 * archive that a trusted key did not sign lets through beyond what this home has accepted waits for `foreword accept`.
 * `undefined`: it was not confirmed, and nothing was changed.
 *
 * @throws BackupError `no-archive`, `damaged`, `newer`, `not-signed`, `not-empty`, `io`; StoreError
 */
export async function restoreHome(options: RestoreOptions): Promise<Restored | undefined> {
  const { home, replaces = false } = options
  if (isRestorePending(home)) await completeRestore(home)
  if (!replaces && (await replacedNames(home)).length > 0) {
    throw new BackupError(
      'not-empty',
      `The home ${home} is not empty. Move what is there aside with --replace, or name another home with --home.`,
    )
  }
  await removeArrivals(home)
  try {
    const { header, digests, signature, links } = await unpack(options).catch((error: unknown) => {
      throw diskFault(error, home)
    })
    options.onProgress?.({ stage: 'examining the store' })
    const audit = await examineStore(options)
    const arriving = arrivingHome(home)
    const isTrusted = await isTrustedKey(options, signature?.key)
    const signed = { ...defined({ key: signature?.key }), isTrusted }
    const content = await restoredContent({ ...options, arriving, links }, signed)
    if (options.confirm && !(await options.confirm(content))) return undefined
    const aside = await placeArrivals({ ...options, saved: header.created, isTrusted })
    const { created, version } = header
    return { home, created, version, files: digests.length, audit, content, ...defined({ aside }) }
  } finally {
    await removeArrivals(home)
  }
}

async function unpack({ home, file, signal, onProgress }: RestoreOptions) {
  const root = arrivingHome(home)
  await mkdir(root, { recursive: true, mode: 0o700 })
  const links: ArchivedFile[] = []
  const folders: ArchivedFile[] = []
  let closed: Promise<unknown> = Promise.resolve()
  const reading = readArchive(file, {
    signal,
    onProgress: (done, all) => onProgress?.({ stage: 'unpacking', done, all }),
    async onFile(each): Promise<Writable | undefined> {
      const path = join(root, each.path)
      if (each.type === 'symlink') return void links.push(each)
      if (each.type === 'directory') {
        folders.push(each)
        return void (await mkdir(path, { recursive: true, mode: 0o700 }))
      }
      await mkdir(dirname(path), { recursive: true, mode: 0o700 })
      const stream = createWriteStream(path, { flags: 'wx', mode: each.mode, flush: true })
      closed = new Promise((resolve) => stream.on('close', resolve)).then(() =>
        utimes(path, each.modified, each.modified).catch(() => {}),
      )
      return stream
    },
  })
  // When this fails, too, nothing is written any more.
  const [facts] = await Promise.allSettled([reading])
  await closed
  if (facts.status === 'rejected') throw facts.reason
  // Last, so that nothing is unpacked through a link to some other place; and none of them through another one.
  const through = links.find(({ path }) => links.some((other) => isBelow(other.path, path)))
  if (through) throw new BackupError('damaged', `The archive ${file} puts ${through.path} below a link.`)
  for (const { path, target } of links) {
    await mkdir(dirname(join(root, path)), { recursive: true, mode: 0o700 })
    await symlink(target ?? '', join(root, path))
  }
  for (const { path, mode } of folders.toReversed()) await chmod(join(root, path), mode)
  return { ...facts.value, links }
}

/** On file systems that tell no case and no forms of characters apart, too. */
function isBelow(folder: string, path: string): boolean {
  return foldCase(path).startsWith(`${foldCase(folder)}/`)
}

/** Whether the key of an archive is that of the home, or the one that was asked for. */
async function isTrustedKey({ home, file, signedBy }: RestoreOptions, key: string | undefined): Promise<boolean> {
  if (signedBy !== undefined && key !== signedBy) {
    const signer = key === undefined ? 'has no signature' : `is signed with the key ${key}`
    throw new BackupError('not-signed', `The archive ${file} ${signer}, not with ${signedBy}. Nothing was changed.`)
  }
  const own = await readAuditKey(home).catch(() => undefined)
  return key !== undefined && (key === signedBy || key === own?.id)
}

/** Whether this Foreword can work on what arrived: the store is whole, of a version that it knows, and so is the audit. */
async function examineStore({ home, clock, file }: RestoreOptions): Promise<AuditVerdict> {
  const arriving = await realpath(arrivingHome(home))
  const { data } = homeAt(arriving)
  const path = storePath(data)
  for (const own of [arriving, ...(await peopleHomesIn(arriving))]) {
    const stored = storePath(homeAt(own).data)
    for (const each of [homeAt(own).data, stored]) {
      const real = await realpath(each).catch(() => each)
      if (!isWithin(arriving, real))
        throw new BackupError('damaged', `In the archive ${file} ${relative(arriving, each)} is a link to ${real}.`)
    }
    const fault = existsSync(stored) ? await findStoreFault(stored) : undefined
    if (fault !== undefined) {
      throw new BackupError('damaged', `The store ${relative(arriving, stored)} in ${file} is damaged: ${fault}`)
    }
  }
  if (!existsSync(path)) return { type: 'whole', records: 0 }
  const store = await openStore({ path, clock })
  try {
    return await verifyAudit(store, await readArchivedPosition(store))
  } finally {
    await store.close()
  }
}
