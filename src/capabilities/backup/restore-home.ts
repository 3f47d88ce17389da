import { createWriteStream, existsSync } from 'node:fs'
import { chmod, mkdir, readdir, readFile, realpath, rename, rm, rmdir, symlink, utimes } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import type { Writable } from 'node:stream'
import { z } from 'zod'
import { type Clock, defined, foldCase, isWithin, syncFolder, writeFileAtomically } from '../../platform.ts'
import {
  type AuditVerdict,
  budgetLedgerFile,
  carryBudgetLedger,
  findStoreFault,
  openStore,
  StoreError,
  storePath,
  readArchivedPosition,
  verifyAudit,
} from '../../session.ts'
import type { CheckpointTarget } from '../../runtime/checkpoints/checkpoint-targets.ts'
import { readAuditKey } from '../../runtime/audit/audit-key.ts'
import { recordRestore } from '../../runtime/audit/restore-audit.ts'
import { homeAt } from '../../runtime/home/home.ts'
import { peopleHomesIn } from '../../runtime/tokens/people.ts'
import { pinPolicy, type RestoredContent, restoredContent } from './archive-content.ts'
import { BackupError, diskFault } from './backup-error.ts'
import { ARRIVING, ASIDE } from './home-files.ts'
import { type ArchivedFile, readArchive } from './read-archive.ts'

interface RestoreOptions {
  /** An absolute path. Its claim is held by this process. */
  readonly home: string
  readonly clock: Clock
  /** Where the checkpoints of the audit of a home are written, as the configuration there names them. */
  readonly findTargets: (home: string) => Promise<readonly CheckpointTarget[]>
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
  const { home, time, replaces = false } = options
  if (isRestorePending(home)) await finishRestore(home)
  const names = existsSync(home) ? (await readdir(home)).filter((name) => !staysInPlace(name)) : []
  if (names.length > 0 && !replaces) {
    throw new BackupError(
      'not-empty',
      `The home ${home} is not empty. Move what is there aside with --replace, or name another home with --home.`,
    )
  }
  await rm(join(home, ARRIVING), { recursive: true, force: true })
  try {
    const { header, digests, signature, links } = await unpack(options).catch((error: unknown) => {
      throw diskFault(error, home)
    })
    options.onProgress?.({ stage: 'examining the store' })
    const audit = await examineStore(options)
    const { clock, findTargets } = options
    const arriving = arrivingHome(home)
    const isTrusted = await isTrustedKey(options, signature?.key)
    const signed = { ...defined({ key: signature?.key }), isTrusted }
    const content = await restoredContent({ ...options, arriving, links }, signed)
    if (options.confirm && !(await options.confirm(content))) return undefined
    if (!isTrusted) await pinPolicy({ home, arriving, clock }, time)
    await recordRestore({ home, arriving, clock, findTargets, saved: header.created, time })
    const homes = [home, ...(await peopleHomesIn(home))]
    for (const each of homes) carrySpent(each, join(arriving, relative(home, each)))
    await decideRestore(home, `${ASIDE}${time.replaceAll(/[-:]|\.\d+/g, '')}`)
    const aside = await finishRestore(home)
    const { created, version } = header
    return { home, created, version, files: digests.length, audit, content, ...defined({ aside }) }
  } finally {
    if (!isRestorePending(home)) await rm(join(home, ARRIVING), { recursive: true, force: true })
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

/** What was spent since the archive was made stays spent. A ledger that cannot be read is put aside, and the log fills the other. */
function carrySpent(home: string, arriving: string): void {
  const [from, into] = [home, arriving].map((each) => join(homeAt(each).data, budgetLedgerFile))
  try {
    if (existsSync(dirname(into!))) carryBudgetLedger(from!, into!)
  } catch (error) {
    if (!(error instanceof StoreError)) throw error
  }
}

/** A restore that is being carried out: arrivals are in `.restoring/home`, the former content in `before-restore-…`. */
interface PendingRestore {
  readonly step: 'put-aside' | 'put-in-place'
  readonly aside: string
}

const pendingRestore: z.ZodType<PendingRestore> = z.object({
  step: z.enum(['put-aside', 'put-in-place']),
  aside: z.string().regex(/^before-restore-[0-9TZ-]+$/),
})

export function arrivingHome(home: string): string {
  return join(home, ARRIVING, 'home')
}

/** Notes that everything lies ready. From here on the restore is carried out, whatever happens. */
export async function decideRestore(home: string, aside: string): Promise<void> {
  await writeNote(home, { step: 'put-aside', aside })
}

export function isRestorePending(home: string): boolean {
  return existsSync(noteFile(home))
}

/** Completes an interrupted restore, before anything in the home is read. Returns a sentence for the operator. */
export async function completeRestore(home: string): Promise<string> {
  const aside = await finishRestore(home)
  return `Completed an interrupted restore.${aside === undefined ? '' : ` The former content is in ${aside}.`}`
}

/** Carries out what `decideRestore` noted, from where it was interrupted. Returns the folder with the former content, if any. */
async function finishRestore(home: string): Promise<string | undefined> {
  const pending = await readNote(home)
  if (!pending) return undefined
  const aside = join(home, pending.aside)
  if (pending.step === 'put-aside') {
    await putAside(home, aside)
    await writeNote(home, { ...pending, step: 'put-in-place' })
  }
  for (const name of await readdir(arrivingHome(home))) await rename(join(arrivingHome(home), name), join(home, name))
  await syncFolder(home)
  await rm(join(home, ARRIVING), { recursive: true, force: true })
  return existsSync(aside) ? aside : undefined
}

/** What stays where it is: the lock of the process that has claimed the home, and the folders of restores. */
function staysInPlace(name: string): boolean {
  return /^gateway\.(lock|json)/.test(name) || name === ARRIVING || name.startsWith(ASIDE)
}

/** All or nothing: where one name cannot be moved, those before it come back and nothing is restored. */
async function putAside(home: string, aside: string): Promise<void> {
  const names = (await readdir(home)).filter((name) => !staysInPlace(name))
  if (names.length > 0) await mkdir(aside, { recursive: true, mode: 0o700 })
  try {
    for (const name of names) await rename(join(home, name), join(aside, name))
    await syncFolder(home)
  } catch (error) {
    for (const name of await readdir(aside)) await rename(join(aside, name), join(home, name))
    await rmdir(aside)
    await rm(noteFile(home), { force: true })
    throw error
  }
}

function noteFile(home: string): string {
  return join(home, ARRIVING, 'restore.json')
}

async function readNote(home: string): Promise<PendingRestore | undefined> {
  if (!isRestorePending(home)) return undefined
  return pendingRestore.parse(JSON.parse(await readFile(noteFile(home), 'utf8')))
}

async function writeNote(home: string, pending: PendingRestore): Promise<void> {
  await writeFileAtomically(noteFile(home), `${JSON.stringify(pending)}\n`)
}
