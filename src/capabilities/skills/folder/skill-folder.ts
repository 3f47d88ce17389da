import { phrase } from '../../../context.ts'
import type { Dirent } from 'node:fs'
import { readdir, realpath } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { readerWithin } from '../../../capability/toolkit.ts'
import { heldMessage, type HeldFolder, holdRealFolder } from '../../../platform.ts'
import type { TextRead, TextReader } from '../../../tool.ts'
import {
  type FrontmatterRead,
  type LeftSkill,
  noFrontmatter,
  type Skill,
  type SkillRoot,
  TOOL_FILES,
  type ToolFile,
} from '../skill.ts'
import { LONGEST_DESCRIPTION } from '../skills-text.ts'
import { splitFrontmatter, stripFrontmatter } from './read-frontmatter.ts'

export interface SkillFolder {
  readonly root: SkillRoot
  readonly directory: string
  readonly path: string
  /** Without links. */
  readonly real: string
  /** Files that declare its tools; empty without a `tools.json`. */
  readonly toolFiles: readonly ToolFile[]
}

/** Finds the skills of a root, by name in code-unit order, through symbolic links. A missing root has none. Never rejects. */
export async function findSkillFolders(
  root: SkillRoot,
): Promise<{ readonly folders: readonly SkillFolder[]; readonly warnings: readonly string[] }> {
  let held: HeldFolder | undefined
  try {
    const real = await realpath(root.path)
    held = await holdRealFolder(real)
    const entries = await readdir(held.at('.'), { withFileTypes: true })
    const candidates = entries
      .filter((entry) => entry.isDirectory() || entry.isSymbolicLink())
      .toSorted((one, other) => (one.name < other.name ? -1 : 1))
    const looked = await inParallel(candidates, 32, (entry) => lookAt(root, entry, { held: held!, real }))
    return {
      folders: looked.flatMap((found) => (typeof found === 'object' ? [found] : [])),
      warnings: looked.flatMap((found) => (typeof found === 'string' ? [found] : [])),
    }
  } catch (error) {
    const why = describeReadError(error)
    return {
      folders: [],
      warnings: why === undefined ? [] : [phrase`${root.path}: the folder of skills cannot be read: ${why}`],
    }
  } finally {
    await held?.close()
  }
}

async function lookAt(
  root: SkillRoot,
  entry: Dirent,
  above: { readonly held: HeldFolder; readonly real: string },
): Promise<SkillFolder | string | undefined> {
  const path = join(root.path, entry.name)
  const isLink = entry.isSymbolicLink()
  let folder: HeldFolder | undefined
  try {
    const real = isLink ? await realpath(path) : join(above.real, entry.name)
    folder = await (isLink ? holdRealFolder(real) : above.held.enter(entry.name))
    const names = await readdir(folder.at('.'))
    if (!names.includes('SKILL.md')) return undefined
    return { root, directory: entry.name, path, real, toolFiles: toolFilesAmong(names) }
  } catch (error) {
    if (isLink && (error as NodeJS.ErrnoException).code === 'ENOTDIR') return undefined
    const why = describeReadError(error)
    if (why !== undefined) return phrase`${path}: it cannot be read: ${why}`
    return isLink ? phrase`${path}: it is a link that leads nowhere` : undefined
  } finally {
    await folder?.close()
  }
}

export function toolFilesAmong(names: readonly string[]): readonly ToolFile[] {
  return names.includes('tools.json') ? TOOL_FILES.filter((file) => names.includes(file)) : []
}

/** Why a folder could not be read; `undefined` if it does not exist. */
function describeReadError(error: unknown): string | undefined {
  const { code } = error as NodeJS.ErrnoException
  if (code === 'ENOENT') return undefined
  if (code === 'EACCES' || code === 'EPERM') return phrase`its permissions do not allow it`
  if (code === 'ENOTDIR') return phrase`it is not a folder`
  if (code === 'ELOOP') return phrase`it is a link that leads back to itself`
  return heldMessage(error)
}

export interface SkillRead {
  readonly skill?: Skill
  readonly left?: LeftSkill
  readonly warnings: readonly string[]
}

/** Without its digest; follows no link out of its root. Never rejects: faults are warnings. */
export async function readSkillFolder(folder: SkillFolder, from: TextReader): Promise<SkillRead> {
  const { directory, path, real, root } = folder
  const read = readerWithin([real, sharedFolder(root)], from)
  const file = join(path, 'SKILL.md')
  const ref = `${root.ref}/${directory}`
  const named = directory.normalize('NFC')
  const found = await read(join(real, 'SKILL.md'))
  if (found.type !== 'text') {
    const why =
      found.type === 'missing' ? phrase`its SKILL.md is a link that leads nowhere` : phrase`its SKILL.md: ${found.why}`
    return {
      left: { name: named, folder: path, ref, code: 'unreadable', why },
      warnings: [`${file}: ${describeUnread(found)}`],
    }
  }
  const { fields, warnings } = await skillFrontmatter(found.text)
  const tools = await readToolTexts(real, folder.toolFiles, read)
  const { name = named, description = '' } = fields
  return {
    skill: {
      name,
      description,
      body: stripFrontmatter(found.text),
      folder: path,
      realFolder: real,
      ref,
      kind: root.kind,
      fields,
      toolFiles: tools.texts,
      digest: undefined,
    },
    warnings: [
      ...warnings.map((warning) => `${file}: ${warning}`),
      ...(description.length > LONGEST_DESCRIPTION
        ? [
            phrase`${file}: description has ${description.length} characters; a list shows the first ${LONGEST_DESCRIPTION}`,
          ]
        : []),
      ...tools.unread.map(
        ([toolFile, why]) => phrase`${join(path, toolFile)}: ${why}; the skill is loaded without tools`,
      ),
    ],
  }
}

/** All of the files that declare tools, or none and the reasons by file. */
export async function readToolTexts(folder: string, files: readonly ToolFile[], read: TextReader) {
  const found: { [Name in ToolFile]?: string } = {}
  const unread: (readonly [file: ToolFile, why: string])[] = []
  for (const file of files) {
    const text = await read(join(folder, file))
    if (text.type === 'text') found[file] = text.text
    else unread.push([file, describeUnread(text)])
  }
  const { 'tools.json': tools } = found
  const isWhole = tools !== undefined && unread.length === 0
  return { texts: isWhole ? { ...found, 'tools.json': tools } : undefined, unread }
}

/** Links may lead within the root; for the root of a workspace, within the workspace. */
function sharedFolder({ path, kind }: SkillFolder['root']): string {
  return kind === 'workspace' ? dirname(dirname(path)) : path
}

export function describeUnread(found: Exclude<TextRead, { readonly type: 'text' }>): string {
  return found.type === 'missing' ? phrase`it is a link that leads nowhere` : found.why
}

/** Loads the YAML parser only where there is frontmatter. */
async function skillFrontmatter(text: string): Promise<FrontmatterRead> {
  if (!splitFrontmatter(text)) return { fields: noFrontmatter, warnings: [] }
  const { readFrontmatter } = await import('./read-frontmatter.ts')
  return readFrontmatter(text)
}

/** At most `limit` at a time. Results are in the order of the items; rejects with the first failure. */
export async function inParallel<Item, Result>(
  items: readonly Item[],
  limit: number,
  work: (item: Item) => Promise<Result>,
): Promise<readonly Result[]> {
  const results: Result[] = []
  const waiting = items.entries()
  await Promise.all(
    Array.from({ length: Math.min(limit, items.length) }, async () => {
      for (const [index, item] of waiting) results[index] = await work(item)
    }),
  )
  return results
}
