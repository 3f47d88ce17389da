import { createHash } from 'node:crypto'
import { constants } from 'node:fs'
import { open, readdir, readlink, stat } from 'node:fs/promises'
import { relative, resolve, sep } from 'node:path'
import { followWithin, type HeldFolder, holdRealFolder, isWithin, bytesFrom, withOpened } from '../../../platform.ts'
import { type ToolFailed, toolFailure } from '../../../tool.ts'

const LARGEST_SKILL_FILE = 256 * 1024

/**
 * UTF-8 of at most 256 KiB, inside the folder once links are resolved. Opens no pipe or device; names binary content. `alias` is
 * another name of the folder.
 */
export async function readSkillFile(real: string, path: string, alias = real): Promise<string | ToolFailed> {
  if (path.includes('\0')) return toolFailure('path has a NUL character in it')
  const shown = JSON.stringify(path.slice(0, 200))
  let folder: HeldFolder | undefined
  try {
    const place = resolve(real, path)
    if (!isWithin(real, place)) return toolFailure(`path ${shown} leads out of the folder of the skill`)
    folder = await holdRealFolder(real)
    const held = folder.at('.')
    const found = await followWithin(held, relative(real, place).split(sep), [real, resolve(alias)])
    if (found.type === 'outside')
      return toolFailure(`path ${shown} is a link that leads out of the folder of the skill`)
    if (found.type === 'dangling') return toolFailure(`the skill has no file ${shown}`)
    return await withOpened(held, found.names, (file) => fileContent(file, shown))
  } catch (error) {
    return toolFailure(describeFileError(error, shown))
  } finally {
    await folder?.close()
  }
}

async function fileContent(file: string, shown: string): Promise<string | ToolFailed> {
  const handle = await open(file, READ)
  try {
    const found = await handle.stat()
    if (found.isDirectory()) return toolFailure(`path ${shown} is a folder. It holds: ${await folderNames(file)}`)
    if (!found.isFile()) return toolFailure(`path ${shown} is not a file`)
    const bytes = await bytesFrom(handle, Math.min(found.size, LARGEST_SKILL_FILE) + 1)
    if (bytes.length > LARGEST_SKILL_FILE) {
      return toolFailure(`path ${shown} has ${found.size} bytes, more than the ${LARGEST_SKILL_FILE} that can be read`)
    }
    if (bytes.includes(0)) return toolFailure(binary(shown, bytes.length))
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (error) {
    if (error instanceof TypeError) return toolFailure(binary(shown, (await handle.stat()).size))
    throw error
  } finally {
    await handle.close()
  }
}

async function folderNames(folder: string): Promise<string> {
  const names = (await readdir(folder)).toSorted((one, other) => (one < other ? -1 : 1))
  const more = names.length > 100 ? `, and ${names.length - 100} more` : ''
  return names.length === 0 ? 'nothing' : `${names.slice(0, 100).join(', ')}${more}`
}

function binary(shown: string, bytes: number): string {
  return `path ${shown} is not a text (${bytes} bytes); it can be used, but not read`
}

function describeFileError(error: unknown, shown: string): string {
  const { code } = error as NodeJS.ErrnoException
  if (code === 'ENOENT' || code === 'ENOTDIR') return `the skill has no file ${shown}`
  if (code === 'EACCES' || code === 'EPERM') return `path ${shown} cannot be read: its permissions do not allow it`
  if (code === 'ELOOP') return `path ${shown} is a link that leads back to itself`
  if (code === 'ENAMETOOLONG') return `path ${shown} is too long`
  return `path ${shown} cannot be read${code === undefined ? '' : ` (${code})`}`
}

/** How many files and bytes of one skill are hashed. Of larger files only path and size count. */
const DIGEST_BOUNDS = { files: 5_000, bytes: 64 * 1024 * 1024 } as const

/**
 * SHA-256 of relative path, size and bytes of each file, in code-unit order. A link to a file counts as that file, a
 * link to a folder by its text, a pipe or a device by its path. `undefined` where something cannot be read.
 */
export async function skillDigest(realFolder: string): Promise<string | undefined> {
  const digest = createHash('sha256')
  let left: number = DIGEST_BOUNDS.bytes
  let count = 0
  try {
    for await (const { path, bytes, place } of visitFiles(realFolder)) {
      if (++count > DIGEST_BOUNDS.files) continue
      await using file = bytes === undefined ? undefined : await open(place, READ)
      const found = await file?.stat()
      if (file && found?.isFile()) {
        digest.update(`file ${JSON.stringify(path.normalize('NFC'))} ${found.size}\n`)
        if (found.size <= left) digest.update(await file.readFile())
        left -= Math.min(left, found.size)
      } else {
        const link = await readlink(place).catch(() => '')
        digest.update(`other ${JSON.stringify(path.normalize('NFC'))} ${JSON.stringify(link)}\n`)
      }
    }
  } catch {
    return undefined
  }
  if (count > DIGEST_BOUNDS.files) digest.update(`more ${count - DIGEST_BOUNDS.files}\n`)
  return digest.digest('hex')
}

/** Without O_NONBLOCK, opening a pipe without a writer would block. */
const READ = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)

/** Folders in folders are looked into so deep. */
const DEPTH = 32

/** Files of version control and file managers, which are no part of the skill. */
const NOT_COUNTED = new Set(['.git', '.DS_Store'])

interface SkillFile {
  /** In the folder of the skill, with `/`. */
  readonly path: string
  /** Of a file, or of the file that a link leads to. */
  readonly bytes?: number
}

/** Every file of a skill, in code-unit order. Follows no links to folders. Rejects where a folder cannot be read. */
export async function skillFiles(realFolder: string): Promise<readonly SkillFile[]> {
  const files: SkillFile[] = []
  for await (const { place: _, ...file } of visitFiles(realFolder)) files.push(file)
  return files
}

/** `place`: where the file is while it is visited. */
async function* visitFiles(realFolder: string) {
  const root = await holdRealFolder(realFolder)
  try {
    yield* filesIn(root, '', DEPTH)
  } finally {
    await root.close()
  }
}

/** Opens each folder in the one above, once, so that one which becomes a link meanwhile leads nowhere else. */
async function* filesIn(
  folder: HeldFolder,
  within: string,
  depth: number,
): AsyncGenerator<SkillFile & { readonly place: string }> {
  if (depth === 0) return
  const entries = await readdir(folder.at('.'), { withFileTypes: true })
  const ordered = entries
    .filter(({ name }) => !NOT_COUNTED.has(name))
    // As the paths are: those of a folder go on with a slash.
    .map((entry) => ({ entry, key: `${entry.name.normalize('NFC')}${entry.isDirectory() ? '/' : ''}` }))
    .toSorted((one, other) => (one.key < other.key ? -1 : 1))
  for (const { entry } of ordered) {
    const { name } = entry
    const path = within + name
    if (entry.isDirectory()) {
      const next = await folder.enter(name)
      try {
        yield* filesIn(next, `${path}/`, depth - 1)
      } finally {
        await next.close()
      }
      continue
    }
    const place = folder.at(name)
    const found = await stat(place).catch(() => undefined)
    yield { path, place, ...(found?.isFile() && { bytes: found.size }) }
  }
}
