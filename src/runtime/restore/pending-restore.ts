import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, rename, rm, rmdir } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { syncFolder, writeFileAtomically } from '../../platform.ts'

/** Folders in a home that a restore makes: what arrives, and what was there before. */
const ARRIVING = '.restoring'
const ASIDE = 'before-restore-'

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

/** What would be moved aside: everything but the lock of the process that has claimed the home, and the folders of restores. */
export async function replacedNames(home: string): Promise<readonly string[]> {
  return existsSync(home) ? (await readdir(home)).filter((name) => !staysInPlace(name)) : []
}

/** Removes what arrived, unless it is being put in place. */
export async function removeArrivals(home: string): Promise<void> {
  if (!isRestorePending(home)) await rm(join(home, ARRIVING), { recursive: true, force: true })
}

/** Puts in place what lies ready; whatever happens, the next start completes it. Returns the folder with the former content, if any. */
export async function putInPlace(home: string, time: string): Promise<string | undefined> {
  await decideRestore(home, `${ASIDE}${time.replaceAll(/[-:]|\.\d+/g, '')}`)
  return finishRestore(home)
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

function staysInPlace(name: string): boolean {
  return /^gateway\.(lock|json)/.test(name) || name === ARRIVING || name.startsWith(ASIDE)
}

/** All or nothing: where one name cannot be moved, those before it come back and nothing is restored. */
async function putAside(home: string, aside: string): Promise<void> {
  const names = await replacedNames(home)
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
