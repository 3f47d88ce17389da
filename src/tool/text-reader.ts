import { constants } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { bytesFrom } from '../platform.ts'

/** Reads one text file. Never throws: the result says why a file cannot be read. */
export type TextReader = (path: string) => Promise<TextRead>

/** The result of reading a file. */
export type TextRead =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'missing' }
  | { readonly type: 'unreadable'; readonly why: string }

/** The largest prompt file, bytes. */
const LARGEST = 1024 * 1024

/** Reads from the disk: UTF-8 of at most 1 MiB, without its byte order mark. A pipe or a device is not waited for. */
export const readText: TextReader = async (path) => {
  let file: FileHandle | undefined
  try {
    file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
    return await decodeFile(file)
  } catch (error) {
    return failure(error as NodeJS.ErrnoException)
  } finally {
    await file?.close().catch(() => {})
  }
}

async function decodeFile(file: FileHandle): Promise<TextRead> {
  const found = await file.stat()
  if (found.isDirectory()) return unreadable('it is a folder, not a file')
  if (!found.isFile()) return unreadable('it is a pipe or a device, not a file')
  if (found.size > LARGEST) return unreadable(`it has ${found.size} bytes, more than the ${LARGEST} allowed`)
  // Files that only seem empty, as in /proc, tell no size.
  const bytes = await bytesFrom(file, (found.size > 0 ? found.size : LARGEST) + 1)
  if (bytes.length > found.size && found.size > 0) return unreadable('it grew while it was read')
  if (bytes.length > LARGEST) return unreadable(`it has more than the ${LARGEST} bytes allowed`)
  try {
    return { type: 'text', text: new TextDecoder('utf-8', { fatal: true }).decode(bytes) }
  } catch {
    return unreadable('it is not valid UTF-8')
  }
}

function failure({ code, message }: NodeJS.ErrnoException): TextRead {
  if (code === 'ENOENT' || code === 'ENOTDIR') return { type: 'missing' }
  if (code === 'EACCES' || code === 'EPERM') return unreadable('it may not be read (permissions)')
  if (code === 'EISDIR') return unreadable('it is a folder, not a file')
  return unreadable(message)
}

function unreadable(why: string): TextRead {
  return { type: 'unreadable', why }
}
