import { randomUUID } from 'node:crypto'
import { access, constants, open, readdir, rename, rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { withFolderLock } from './folder-lock.ts'
import { MOST_BYTES, readWhole } from './read-subject-file.ts'
import { settleFolder } from './settle-folder.ts'
import { SubjectError } from './subject-error.ts'
import { type FilePlace, type NoPlace, unwritable, whyNot } from './subject-file-place.ts'

export interface TextChange {
  /** What was looked at; empty where there was no file. */
  readonly before: string
  readonly text: string
}

/**
 * Puts a text in the place of a file, whole or not at all: it is written beside it, brought to disk, and renamed, unless
 * the file is not `before` any more. Of two who replace the same text, in this process or another one, the second is
 * told. `lockFolder` is where they meet. Permission bits stay; a new file is for its owner alone (0600).
 *
 * @throws SubjectError `changed`, `invalid-input`, `unwritable`
 */
export async function replaceText(place: FilePlace | NoPlace, change: TextChange, lockFolder: string): Promise<void> {
  if (place.type === 'none') throw unwritable(place.shown, place.why)
  if (Buffer.byteLength(change.text) > MOST_BYTES) {
    throw new SubjectError('invalid-input', `${place.shown} may hold ${MOST_BYTES} bytes, and this would be more.`)
  }
  try {
    await withFolderLock(lockFolder, () => replaceHeld(place, change))
  } catch (error) {
    throw error instanceof SubjectError ? error : unwritable(place.shown, whyNot(error))
  }
}

/**
 * The text of a file, exactly as it stands there; empty where there is none.
 *
 * @throws SubjectError `unwritable` where it cannot be read, or holds more than text: then it could not be put back
 */
export async function exactText(place: FilePlace | NoPlace): Promise<string> {
  return (await standing(place)).text
}

async function replaceHeld(place: FilePlace, { before, text }: TextChange): Promise<void> {
  const { mode } = await still(place, before)
  await removeLeftovers(place)
  const beside = join(place.folder, `${leftoverStart(place)}${randomUUID()}.tmp`)
  try {
    await writeNew(beside, text, mode ?? 0o600)
    await still(place, before)
    await rename(beside, place.path)
  } catch (error) {
    await rm(beside, { force: true })
    throw error
  }
  await settleFolder(place.folder)
}

interface Standing {
  readonly text: string
  /** Permission bits; `undefined` where there is no file. */
  readonly mode: number | undefined
}

async function standing(place: FilePlace | NoPlace): Promise<Standing> {
  const read = await readWhole(place)
  if (read.type === 'missing') return { text: '', mode: undefined }
  if (read.type === 'unreadable') throw unreadable(place.shown, read.why)
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(read.bytes)
    return { text, mode: read.mode }
  } catch {
    throw unreadable(place.shown, 'it is not valid UTF-8, and would not stay as it is. Save it as UTF-8 first')
  }
}

function unreadable(shown: string, why: string): SubjectError {
  return new SubjectError('unwritable', `${shown} cannot be read: ${why}.`)
}

async function still(place: FilePlace, before: string): Promise<Standing> {
  const now = await standing(place)
  if (now.text !== before) {
    throw new SubjectError('changed', `${place.shown} has changed meanwhile. Look at it again, then decide anew.`)
  }
  if (now.mode !== undefined) await access(place.path, constants.W_OK)
  return now
}

async function writeNew(path: string, text: string, mode: number): Promise<void> {
  const file = await open(path, 'wx', 0o600)
  try {
    await file.writeFile(text)
    await file.chmod(mode)
    await file.sync()
  } finally {
    await file.close()
  }
}

/** Of a process that ended in the middle; whoever holds the lock is alone with them. */
async function removeLeftovers(place: FilePlace): Promise<void> {
  const left = (await readdir(place.folder)).filter((name) => isLeftover(name, place))
  await Promise.all(left.map((name) => rm(join(place.folder, name), { force: true })))
}

function isLeftover(name: string, place: FilePlace): boolean {
  return name.startsWith(leftoverStart(place)) && /^[0-9a-f-]{36}\.tmp$/.test(name.slice(leftoverStart(place).length))
}

function leftoverStart({ path }: FilePlace): string {
  return `.${basename(path)}.`
}
