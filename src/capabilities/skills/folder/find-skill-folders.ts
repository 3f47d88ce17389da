import type { Dirent } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { inParallel } from './in-parallel.ts'
import type { SkillRoot } from '../skill.ts'
import { TOOL_FILES, type ToolFile } from './tool-files.ts'

/** A folder that holds a `SKILL.md`. */
export interface SkillFolder {
  readonly root: SkillRoot
  /** Its name in the root. */
  readonly directory: string
  /** Absolute path. */
  readonly path: string
  /** Files that declare its tools; none where it has no `tools.json`. */
  readonly toolFiles: readonly ToolFile[]
}

export interface FoundFolders {
  /** By name, in code-unit order. */
  readonly folders: readonly SkillFolder[]
  readonly warnings: readonly string[]
}

/** Looks for the skills of a root, through symbolic links. A missing root is an empty one; never rejects. */
export async function findSkillFolders(root: SkillRoot): Promise<FoundFolders> {
  let entries: readonly Dirent[]
  try {
    entries = await readdir(root.path, { withFileTypes: true })
  } catch (error) {
    const why = reasonOf(error)
    return {
      folders: [],
      warnings: why === undefined ? [] : [`${root.path}: this folder of skills cannot be read: ${why}`],
    }
  }
  const candidates = entries
    .filter((entry) => entry.isDirectory() || entry.isSymbolicLink())
    .toSorted((one, other) => (one.name < other.name ? -1 : 1))
  const looked = await inParallel(candidates, 32, (entry) => lookAt(root, entry))
  return {
    folders: looked.flatMap((found) => (typeof found === 'object' ? [found] : [])),
    warnings: looked.flatMap((found) => (typeof found === 'string' ? [found] : [])),
  }
}

/** A folder with a skill, a warning, or nothing. */
async function lookAt(root: SkillRoot, entry: Dirent): Promise<SkillFolder | string | undefined> {
  const path = join(root.path, entry.name)
  try {
    if (entry.isSymbolicLink() && !(await stat(path)).isDirectory()) return undefined
    const names = await readdir(path)
    if (!names.includes('SKILL.md')) return undefined
    return { root, directory: entry.name, path, toolFiles: toolFilesAmong(names) }
  } catch (error) {
    const why = reasonOf(error)
    if (why !== undefined) return `${path}: it cannot be read: ${why}`
    return entry.isSymbolicLink() ? `${path}: it is a link that leads nowhere` : undefined
  }
}

/** Which of the files of a folder declare tools. */
export function toolFilesAmong(names: readonly string[]): readonly ToolFile[] {
  return names.includes('tools.json') ? TOOL_FILES.filter((file) => names.includes(file)) : []
}

/** Why a folder could not be read; `undefined` where it is not there. */
function reasonOf(error: unknown): string | undefined {
  const { code, message } = error as NodeJS.ErrnoException
  if (code === 'ENOENT') return undefined
  if (code === 'EACCES' || code === 'EPERM') return 'its permissions do not allow it'
  if (code === 'ENOTDIR') return 'it is not a folder'
  if (code === 'ELOOP') return 'it is a link that leads back to itself'
  return message
}
