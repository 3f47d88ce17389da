import { constants } from 'node:fs'
import { open, readdir, realpath } from 'node:fs/promises'
import { resolve } from 'node:path'
import { isWithin } from '../../../capability.ts'

/** The text of a file that a skill ships, or why there is none, in a sentence for the model. */
export type SkillFile = { readonly ok: true; readonly text: string } | { readonly ok: false; readonly error: string }

/** The largest file that is read, bytes. */
const LARGEST_SKILL_FILE = 256 * 1024

/**
 * Reads a file inside a skill's folder: UTF-8 of at most 256 KiB. Links are resolved before paths are compared, so that no
 * path and no link leads out of the folder. A pipe or a device is not opened; binary content is named, never given.
 */
export async function readSkillFile(folder: string, path: string): Promise<SkillFile> {
  if (path.includes('\0')) return refused('path has a NUL character in it')
  const shown = JSON.stringify(path.slice(0, 200))
  try {
    const real = await realpath(folder)
    const place = resolve(real, path)
    if (!isWithin(real, place)) return refused(`path ${shown} leads out of the folder of the skill`)
    const file = await realpath(place)
    if (!isWithin(real, file)) return refused(`path ${shown} is a link that leads out of the folder of the skill`)
    return await contentOf(file, shown)
  } catch (error) {
    return refused(sentenceOf(error, shown))
  }
}

async function contentOf(file: string, shown: string): Promise<SkillFile> {
  // A pipe that nobody writes to would never open, and a link that was put here since is not followed.
  const handle = await open(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0))
  try {
    const found = await handle.stat()
    if (found.isDirectory()) return refused(`path ${shown} is a folder. It holds: ${await namesIn(file)}`)
    if (!found.isFile()) return refused(`path ${shown} is not a file`)
    const buffer = Buffer.alloc(Math.min(found.size, LARGEST_SKILL_FILE) + 1)
    const filled = await fill(handle, buffer)
    if (filled > LARGEST_SKILL_FILE) {
      return refused(`path ${shown} has ${found.size} bytes, more than the ${LARGEST_SKILL_FILE} that can be read`)
    }
    const bytes = buffer.subarray(0, filled)
    if (bytes.includes(0)) return refused(binary(shown, filled))
    return { ok: true, text: new TextDecoder('utf-8', { fatal: true }).decode(bytes) }
  } catch (error) {
    if (error instanceof TypeError) return refused(binary(shown, (await handle.stat()).size))
    throw error
  } finally {
    await handle.close()
  }
}

async function fill(handle: Awaited<ReturnType<typeof open>>, buffer: Buffer): Promise<number> {
  let filled = 0
  for (;;) {
    const { bytesRead } = await handle.read(buffer, filled, buffer.length - filled, filled)
    filled += bytesRead
    if (bytesRead === 0 || filled === buffer.length) return filled
  }
}

async function namesIn(folder: string): Promise<string> {
  const names = (await readdir(folder)).toSorted((one, other) => (one < other ? -1 : 1))
  const more = names.length > 100 ? `, and ${names.length - 100} more` : ''
  return names.length === 0 ? 'nothing' : `${names.slice(0, 100).join(', ')}${more}`
}

function binary(shown: string, bytes: number): string {
  return `path ${shown} is not a text (${bytes} bytes); it can be used, but not read`
}

function sentenceOf(error: unknown, shown: string): string {
  const { code } = error as NodeJS.ErrnoException
  if (code === 'ENOENT' || code === 'ENOTDIR') return `the skill has no file ${shown}`
  if (code === 'EACCES' || code === 'EPERM') return `path ${shown} cannot be read: its permissions do not allow it`
  if (code === 'ELOOP') return `path ${shown} is a link that leads back to itself`
  if (code === 'ENAMETOOLONG') return `path ${shown} is too long`
  return `path ${shown} cannot be read${code === undefined ? '' : ` (${code})`}`
}

function refused(error: string): SkillFile {
  return { ok: false, error }
}
