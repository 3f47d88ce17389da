import { randomUUID } from 'node:crypto'
import { access, constants, readdir, rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { ForewordError, withFileLock, writeFileAtomically } from '../../../platform.ts'
import { MOST_BYTES, readWhole } from './read-subject-file.ts'
import { SubjectError } from './subject-error.ts'
import { type FilePath, type NoPath, unwritable, whyNot } from './file-path.ts'

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
export async function replaceText(place: FilePath | NoPath, change: TextChange, lockFolder: string): Promise<void> {
  if (place.type === 'none') throw unwritable(place.shown, place.why)
  if (Buffer.byteLength(change.text) > MOST_BYTES) {
    throw new SubjectError('invalid-input', `${place.shown} may hold ${MOST_BYTES} bytes, and this would be more.`)
  }
  try {
    await withFileLock(join(lockFolder, '.lock'), () => replaceHeld(place, change))
  } catch (error) {
    if (error instanceof SubjectError) throw error
    // Of the lock.
    if (error instanceof ForewordError) throw new SubjectError('unwritable', error.message, {}, { cause: error })
    throw unwritable(place.shown, whyNot(error))
  }
}

/**
 * The text of a file, exactly as it is on disk; empty where there is none.
 *
 * @throws SubjectError `unwritable` where it cannot be read, or holds more than text: then it could not be put back
 */
export async function exactText(place: FilePath | NoPath): Promise<string> {
  return (await readExact(place)).text
}

async function replaceHeld(place: FilePath, { before, text }: TextChange): Promise<void> {
  const { mode } = await assertUnchanged(place, before)
  await removeLeftovers(place)
  await writeFileAtomically(place.path, text, {
    mode,
    beside: join(place.folder, `${leftoverStart(place)}${randomUUID()}.tmp`),
    check: async () => void (await assertUnchanged(place, before)),
  })
}

interface ExactFile {
  readonly text: string
  /** Permission bits; `undefined` where there is no file. */
  readonly mode: number | undefined
}

async function readExact(place: FilePath | NoPath): Promise<ExactFile> {
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

async function assertUnchanged(place: FilePath, before: string): Promise<ExactFile> {
  const now = await readExact(place)
  if (now.text !== before) {
    throw new SubjectError('changed', `${place.shown} has changed meanwhile. Look at it again, then decide anew.`)
  }
  if (now.mode !== undefined) await access(place.path, constants.W_OK)
  return now
}

/** Left by a process that ended in the middle; the holder of the lock is alone with them. */
async function removeLeftovers(place: FilePath): Promise<void> {
  const left = (await readdir(place.folder)).filter((name) => isLeftover(name, place))
  await Promise.all(left.map((name) => rm(join(place.folder, name), { force: true })))
}

function isLeftover(name: string, place: FilePath): boolean {
  return name.startsWith(leftoverStart(place)) && /^[0-9a-f-]{36}\.tmp$/.test(name.slice(leftoverStart(place).length))
}

function leftoverStart({ path }: FilePath): string {
  return `.${basename(path)}.`
}
