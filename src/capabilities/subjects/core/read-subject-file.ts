import { constants, type FileHandle, open } from 'node:fs/promises'
import { type FilePath, type NoPath, whyNot } from './subject-folders.ts'

export type SubjectFileRead =
  | { readonly type: 'bytes'; readonly bytes: Uint8Array; readonly mode: number }
  | { readonly type: 'missing' }
  | { readonly type: 'unreadable'; readonly why: string }

/** The largest text file of a subject, bytes. */
export const LARGEST_FILE_BYTES = 8 * 1024 * 1024

/** Reads a whole file. Never throws, waits for no pipe, and follows no link that was not there when it was resolved. */
export function readWhole(place: FilePath | NoPath): Promise<SubjectFileRead> {
  return reading(place, async (file, size, mode) => {
    if (size > LARGEST_FILE_BYTES)
      return { type: 'unreadable', why: `it holds ${size} bytes, and at most ${LARGEST_FILE_BYTES} are read` }
    const bytes = await bytesFrom(file, 0, size)
    return { type: 'bytes', bytes, mode }
  })
}

/** Reads the end of a file of any size: a small piece, and larger ones until `isEnough` or it is whole. */
export function readEnd(place: FilePath | NoPath, isEnough: (bytes: Uint8Array) => boolean): Promise<SubjectFileRead> {
  return reading(place, async (file, size, mode) => {
    for (const piece of PIECES) {
      // The byte before shows whether the piece begins with a line.
      const from = Math.max(0, size - piece - 1)
      const read = await bytesFrom(file, from, size - from)
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
    return { type: 'bytes', bytes: await bytesFrom(file, 0, Math.min(size, most)), mode }
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

async function bytesFrom(file: FileHandle, from: number, count: number): Promise<Uint8Array> {
  const buffer = Buffer.alloc(count)
  let filled = 0
  while (filled < count) {
    const { bytesRead } = await file.read(buffer, filled, count - filled, from + filled)
    if (bytesRead === 0) break
    filled += bytesRead
  }
  return buffer.subarray(0, filled)
}

function afterLine(bytes: Uint8Array): number {
  const end = bytes.findIndex((byte) => byte === NEWLINE || byte === RETURN)
  return end === -1 ? bytes.length : end + 1
}

const NEWLINE = 10
const RETURN = 13
