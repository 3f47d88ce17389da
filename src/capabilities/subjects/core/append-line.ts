import { constants, type FileHandle, open } from 'node:fs/promises'
import { type JsonObject, objectIn } from './json-lines.ts'
import { type FilePath, type NoPath, unwritable, whyNot } from './file-path.ts'
import { SubjectError } from './subject-error.ts'
import { syncFolder } from '../../../platform.ts'

/** The longest line of a log, bytes. */
const LONGEST_LINE = 64 * 1024

/**
 * One more object at the end of a file of JSON lines, on disk when it resolves. The line goes there in a single write, so
 * that others who write at the same time neither split it nor are split. A last line without an end gets one first.
 * Resolves with the object as it will be read.
 *
 * @throws SubjectError `invalid-input`, `unwritable`
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

/** Checked as it will be read: what nobody could read again is not written. */
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
