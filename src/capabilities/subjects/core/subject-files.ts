import { randomUUID } from 'node:crypto'
import { access, constants, type FileHandle, lstat, open, readdir, realpath, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import {
  type Clock,
  ForewordError,
  isWithin,
  noteWrittenFile,
  bytesFrom,
  syncFolder,
  withFileLock,
  writeFileAtomically,
} from '../../../platform.ts'
import { type JsonObject, objectIn } from './lines.ts'
import { isSubjectName, nameRule, quotedId, SubjectError, type SubjectFile, type SubjectFolders } from './subjects.ts'

/** With every link resolved. A link that leads out of the folder of subjects is no subject. Throws `not-found`. */
export async function subjectFolder({ directory }: SubjectFolders, id: string): Promise<string> {
  const folder = isSubjectName(id) ? await folderWithin(directory, id) : undefined
  if (folder !== undefined) return folder
  const message = `There is no subject ${quotedId(id)}. foreword subjects list shows those that are there.`
  throw new SubjectError('not-found', message, { subject: id })
}

export function fileOfSubject(
  { directory }: SubjectFolders,
  id: string,
  folder: string,
  name: string,
): Promise<FilePath | NoPath> {
  return filePath(directory, folder, name, `${name} of the subject ${id}`)
}

export async function fileOfTaste({ tastes }: SubjectFolders, name: string): Promise<FilePath | NoPath> {
  const folder = await realpath(tastes).catch(() => tastes)
  return filePath(tastes, folder, `${name}.md`, `${name}.md of the tastes`)
}

export function changedFile(file: SubjectFile): string {
  return file.type === 'notes' ? `subjects/${file.subject}/notes.md` : `tastes/${file.name}.md`
}

/** Throws `invalid-input`, `not-found`. */
export async function fileToChange(places: SubjectFolders, file: SubjectFile): Promise<FilePath | NoPath> {
  if (file.type === 'notes') {
    return fileOfSubject(places, file.subject, await subjectFolder(places, file.subject), 'notes.md')
  }
  if (isSubjectName(file.name)) return fileOfTaste(places, file.name)
  throw new SubjectError('invalid-input', `${JSON.stringify(file.name)} is no name of a taste. It has ${nameRule}.`)
}

/** Where a file is, or would be. Folders are resolved; nothing that leads out of `root` has a place. */
export interface FilePath {
  readonly type: 'path'
  readonly path: string
  /** The folder that it lies in, without links. */
  readonly folder: string
  /** Name for messages, such as `notes.md of the subject reef`. */
  readonly shown: string
}

export interface NoPath {
  readonly type: 'none'
  readonly why: string
  readonly shown: string
}

/** With every link resolved; `undefined` where there is none, or a link leads out of the root. */
export async function folderWithin(root: string, name: string): Promise<string | undefined> {
  try {
    const realRoot = await realpath(root)
    const folder = await realpath(join(realRoot, name))
    if (!isWithin(realRoot, folder) || !(await lstat(folder)).isDirectory()) return undefined
    return folder
  } catch {
    return undefined
  }
}

/** A link to somewhere within `root` is followed, one that leads out is not. */
async function filePath(root: string, folder: string, name: string, shown: string): Promise<FilePath | NoPath> {
  const path = join(folder, name)
  try {
    // Opening the path follows no link: it is this file, or none.
    if (!(await isLink(path))) return { type: 'path', path, folder, shown }
    const real = await realpath(path)
    if (!isWithin(await realpath(root), real)) return { type: 'none', why: 'it is a link that leads out', shown }
    return { type: 'path', path: real, folder: dirname(real), shown }
  } catch (error) {
    const isGone = (error as NodeJS.ErrnoException).code === 'ENOENT'
    return { type: 'none', why: isGone ? 'it is a link that leads nowhere' : whyNot(error), shown }
  }
}

async function isLink(path: string): Promise<boolean> {
  try {
    return (await lstat(path)).isSymbolicLink()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false
    throw error
  }
}

/** The reason that a system gives, in words. */
export function whyNot(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException
  switch (code) {
    case 'ENOENT':
      return 'its folder is not there any more'
    case 'ELOOP':
      return 'its links lead in a circle'
    case 'EACCES':
    case 'EPERM':
      return 'there is no permission'
    case 'EISDIR':
      return 'it is a folder, not a file'
    case 'ENOTDIR':
      return 'a part of its path is a file, not a folder'
    case 'ENOSPC':
    case 'EDQUOT':
      return 'the disk is full'
    case 'EROFS':
      return 'the disk is read-only'
    case 'ENXIO':
    case 'ENODEV':
      return 'it is a pipe, a socket or a device, not a file'
    default:
      return code ?? message
  }
}

export function unwritable(shown: string, why: string): SubjectError {
  return new SubjectError('unwritable', `${shown} cannot be written: ${why}.`)
}

interface TextChange {
  /** What was looked at; empty where there was no file. */
  readonly before: string
  readonly text: string
}

/**
 * Puts a text in the place of a file, whole or not at all, unless the file is not `before` any more. Of two who
 * replace the same text, in any process, the second is refused. The lock is in `lockFolder`. Permission bits stay; a
 * new file is for its owner alone (0600). Throws `changed`, `invalid-input`, `unwritable`.
 */
export async function replaceText(
  clock: Clock,
  place: FilePath | NoPath,
  change: TextChange,
  lockFolder: string,
): Promise<void> {
  if (place.type === 'none') throw unwritable(place.shown, place.why)
  if (Buffer.byteLength(change.text) > LARGEST_FILE_BYTES) {
    throw new SubjectError(
      'invalid-input',
      `${place.shown} may hold ${LARGEST_FILE_BYTES} bytes, and this would be more.`,
    )
  }
  try {
    await withFileLock(clock, join(lockFolder, '.lock'), () => replaceHeld(place, change))
  } catch (error) {
    if (error instanceof SubjectError) throw error
    // Of the lock.
    if (error instanceof ForewordError) throw new SubjectError('unwritable', error.message, {}, { cause: error })
    throw unwritable(place.shown, whyNot(error))
  }
}

/** As on disk; empty without a file. Throws `unwritable` for what could not be put back: unreadable, or no text. */
export async function exactText(place: FilePath | NoPath): Promise<string> {
  return (await readExact(place)).text
}

async function replaceHeld(place: FilePath, { before, text }: TextChange): Promise<void> {
  const { mode } = await assertUnchanged(place, before)
  const left = (await readdir(place.folder)).filter((name) => isLeftover(name, place))
  await Promise.all(left.map((name) => rm(join(place.folder, name), { force: true })))
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
    throw new SubjectError('changed', `${place.shown} has changed meanwhile. Look at it again, then decide again.`)
  }
  if (now.mode !== undefined) await access(place.path, constants.W_OK)
  return now
}

function isLeftover(name: string, place: FilePath): boolean {
  return name.startsWith(leftoverStart(place)) && /^[0-9a-f-]{36}\.tmp$/.test(name.slice(leftoverStart(place).length))
}

function leftoverStart({ path }: FilePath): string {
  return `.${basename(path)}.`
}

/** The longest line of a log, bytes. */
const LONGEST_LINE = 64 * 1024

/**
 * One more object at the end of a file of JSON lines, on disk when it resolves. The line goes there in a single
 * write, so that others who write at the same time neither split it nor are split. A last line without an end gets
 * one first. Throws `invalid-input`, `unwritable`.
 */
export async function appendLine(place: FilePath | NoPath, object: JsonObject): Promise<JsonObject> {
  const { json, read } = written(object, place.shown)
  const line = `${json}\n`
  const size = Buffer.byteLength(line)
  if (size > LONGEST_LINE) {
    throw new SubjectError(
      'invalid-input',
      `An entry of ${place.shown} may hold ${LONGEST_LINE} bytes, and this one holds ${size}. Make it shorter.`,
    )
  }
  if (place.type === 'none') throw unwritable(place.shown, place.why)
  let file: FileHandle | undefined
  try {
    file = await open(place.path, FLAGS, 0o600)
    if (!(await file.stat()).isFile()) throw unwritable(place.shown, 'it is a pipe, a socket or a device, not a file')
    await appendTo(file, line, place)
    await noteWrittenFile(place.path)
  } catch (error) {
    throw error instanceof SubjectError ? error : unwritable(place.shown, whyNot(error))
  } finally {
    await file?.close().catch(() => {})
  }
  return read
}

const FLAGS =
  constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)

async function appendTo(file: FileHandle, line: string, { folder, shown }: FilePath): Promise<void> {
  const { size } = await file.stat()
  const bytes = Buffer.from((await endsOpen(file, size)) ? `\n${line}` : line)
  const { bytesWritten } = await file.write(bytes)
  // The next line begins with an end for this one.
  if (bytesWritten < bytes.length) throw unwritable(shown, 'the disk is full')
  await file.sync()
  // A file that is new is an entry of its folder, too.
  if (size === 0) await syncFolder(folder)
}

async function endsOpen(file: FileHandle, size: number): Promise<boolean> {
  if (size === 0) return false
  const { buffer, bytesRead } = await file.read(Buffer.alloc(1), 0, 1, size - 1)
  return bytesRead === 1 && !/[\r\n]/.test(buffer.toString('latin1'))
}

/** Checked as it will be read: an entry that could not be read back is not written. */
function written(object: JsonObject, shown: string): { readonly json: string; readonly read: JsonObject } {
  try {
    const json = JSON.stringify(object)
    const read = objectIn(json)
    if (read !== undefined) return { json, read }
  } catch {
    // Circles, and numbers that JSON has no way to write.
  }
  throw new SubjectError('invalid-input', `An entry of ${shown} must be plain JSON, at most 100 levels deep.`)
}

export type SubjectFileRead =
  | { readonly type: 'bytes'; readonly bytes: Uint8Array; readonly mode: number }
  | { readonly type: 'missing' }
  | { readonly type: 'unreadable'; readonly why: string }

const LARGEST_FILE_BYTES = 8 * 1024 * 1024

/** Reads a whole file. Never throws, waits for no pipe, and follows no link that was not there when it was resolved. */
export function readWhole(place: FilePath | NoPath): Promise<SubjectFileRead> {
  return reading(place, async (file, size, mode) => {
    if (size > LARGEST_FILE_BYTES)
      return { type: 'unreadable', why: `it holds ${size} bytes, and at most ${LARGEST_FILE_BYTES} are read` }
    return { type: 'bytes', bytes: await bytesFrom(file, size), mode }
  })
}

/** Reads the end of a file of any size: a small piece, and larger ones until `isEnough` or it is whole. */
export function readEnd(place: FilePath | NoPath, isEnough: (bytes: Uint8Array) => boolean): Promise<SubjectFileRead> {
  return reading(place, async (file, size, mode) => {
    for (const piece of PIECES) {
      // The byte before shows whether the piece begins with a line.
      const from = Math.max(0, size - piece - 1)
      const read = await bytesFrom(file, size - from, from)
      const bytes = from === 0 ? read : read.subarray(afterLine(read))
      if (from === 0 || isEnough(bytes) || (piece === LARGEST_PIECE && bytes.length > 0)) {
        return { type: 'bytes', bytes, mode }
      }
    }
    return { type: 'unreadable', why: `its last line holds more than ${LARGEST_PIECE} bytes` }
  })
}

/** The first bytes of a file as text; what cannot be read is empty. */
export async function readBeginning(place: FilePath | NoPath, most: number): Promise<string> {
  const read = await reading(place, async (file, size, mode) => {
    return { type: 'bytes', bytes: await bytesFrom(file, Math.min(size, most)), mode }
  })
  return read.type === 'bytes' ? new TextDecoder().decode(read.bytes) : ''
}

const LARGEST_PIECE = 16 * 1024 * 1024
const PIECES = [256 * 1024, 1024 * 1024, 4 * 1024 * 1024, LARGEST_PIECE]

async function reading(
  place: FilePath | NoPath,
  read: (file: FileHandle, size: number, mode: number) => Promise<SubjectFileRead>,
): Promise<SubjectFileRead> {
  if (place.type === 'none') return { type: 'unreadable', why: place.why }
  let file: FileHandle | undefined
  try {
    file = await open(place.path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0))
    const found = await file.stat()
    if (found.isDirectory()) return { type: 'unreadable', why: 'it is a folder, not a file' }
    if (!found.isFile()) return { type: 'unreadable', why: 'it is a pipe, a socket or a device, not a file' }
    return await read(file, found.size, found.mode & 0o777)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { type: 'missing' }
    return { type: 'unreadable', why: whyNot(error) }
  } finally {
    await file?.close().catch(() => {})
  }
}

function afterLine(bytes: Uint8Array): number {
  const end = bytes.findIndex((byte) => byte === NEWLINE || byte === RETURN)
  return end === -1 ? bytes.length : end + 1
}

const NEWLINE = 10
const RETURN = 13
