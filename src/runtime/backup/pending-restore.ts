import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, rename, rm, rmdir } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { syncFolder, writeFileAtomically } from '../../platform.ts'
import { ARRIVING, ASIDE } from './home-files.ts'

/**
 * A restore that was decided on and is being carried out. What arrives lies whole and examined in `.restoring/home`; what
 * was there goes to `before-restore-…`. A crash in between leaves the note, and `finishRestore` goes on.
 */
export interface PendingRestore {
  readonly step: 'put-aside' | 'put-in-place'
  /** Name of the folder for what was there. */
  readonly aside: string
}

const pendingRestore: z.ZodType<PendingRestore> = z.object({
  step: z.enum(['put-aside', 'put-in-place']),
  aside: z.string().regex(/^before-restore-[0-9TZ-]+$/),
})

/** Where a restore unpacks its archive. */
export function arrivingHome(home: string): string {
  return join(home, ARRIVING, 'home')
}

/** A name for what was there before, such as `before-restore-20260131T120000Z`. */
export function asideName(time: string): string {
  return `${ASIDE}${time.replaceAll(/[-:]|\.\d+/g, '')}`
}

/** Notes that everything lies ready. From here on the restore is carried out, whatever happens. */
export async function decideRestore(home: string, aside: string): Promise<void> {
  await writeNote(home, { step: 'put-aside', aside })
}

/** Whether a restore broke off in this home. */
export function isRestorePending(home: string): boolean {
  return existsSync(noteFile(home))
}

/**
 * Carries out what `decideRestore` noted, from wherever it broke off. For the one process that holds the home. Answers
 * the folder that holds what was there before; `undefined` where there was nothing, or nothing to do.
 */
export async function finishRestore(home: string): Promise<string | undefined> {
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

/** What stays where it is: the lock of whoever holds the home, and what restores have made. */
export function staysInPlace(name: string): boolean {
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
