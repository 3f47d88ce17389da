import { realpath } from 'node:fs/promises'
import { isWithin } from './confined-path.ts'
import { readText, type TextReader } from '../tool.ts'

/**
 * Reads files that become instructions, and only from these folders once links are followed: a folder that comes from
 * somebody else could otherwise hold a link to a key of this machine, and every model would read it.
 */
export function readerWithin(folders: readonly string[], read: TextReader = readText): TextReader {
  return async (path) => {
    const real = await realOrNot(path)
    // Nothing is there: what that means, the reader says.
    if (real === undefined) return read(path)
    const places = await Promise.all(folders.map(realOrNot))
    if (places.some((place) => place !== undefined && isWithin(place, real))) return read(real)
    return { type: 'unreadable', why: 'it is a link that leads out of its folder; put the file itself there' }
  }
}

async function realOrNot(path: string): Promise<string | undefined> {
  return realpath(path).catch(() => undefined)
}
