import type { Dirent } from 'node:fs'
import { readdir, realpath } from 'node:fs/promises'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { readerWithin } from '../../../capability/toolkit.ts'
import { addNeutralized, neutralizedWords, neutralLine, phrase } from '../../../context.ts'
import { type HeldFolder, heldMessage, holdRealFolder, isWithin } from '../../../platform.ts'
import { readText, type TextRead, type TextReader } from '../../../tool.ts'
import { type LeftSkill, type LoadedSkills, type Skill, type SkillRoot, TOOL_FILES, type ToolFile } from '../skill.ts'
import { LONGEST_DESCRIPTION } from '../skills-text.ts'
import { readFrontmatter, stripFrontmatter } from './read-frontmatter.ts'
import { cachedFinder, type Machine, missingRequirements } from './requirements.ts'
import { skillDigest } from './skill-files.ts'

export interface LoadSkillsOptions extends Partial<Omit<Machine, 'findBinary'>> {
  readonly findBinary: Machine['findBinary']
  readonly roots: readonly SkillRoot[]
  /** Names of skills that are left out, whichever folder they come from. */
  readonly disabled?: readonly string[]
  /** Whether to compute the digest of each skill, which reads every file. */
  readonly digests?: boolean
  readonly read?: TextReader
}

const SIDE_BY_SIDE = 16

/** Never rejects: what cannot be read is a warning (BEHAVIOURS §1.1). The same folders always give the same result. */
export async function loadSkills(options: LoadSkillsOptions): Promise<LoadedSkills> {
  const { roots, disabled = [], digests = false, read = readText } = options
  const { environment = {}, platform = process.platform } = options
  const machine = { findBinary: cachedFinder(options.findBinary), environment, platform }
  const found = await Promise.all(roots.map(findSkillFolders))
  const warnings = found.flatMap((root) => root.warnings)
  const folders = found.flatMap((root) => root.folders)
  const trusted = folders.filter(({ root }) => root.trusted !== false)
  const left = folders.filter(({ root }) => root.trusted === false).map(untrustedSkill)
  for (const [index, { path, trusted: isTrusted }] of roots.entries()) {
    const count = found[index]!.folders.length
    if (isTrusted === false && count > 0) warnings.push(`${path}: ${untrustedText(count)}`)
  }

  const byName = new Map<string, Skill>()
  const looked = await inParallel(trusted, SIDE_BY_SIDE, async (folder): Promise<SkillRead> => {
    const { skill, ...rest } = await readSkillFolder(folder, read)
    if (!skill) return rest
    const missing = await missingRequirements(skill.fields.requires, skill.folder, machine)
    if (missing !== undefined) return { ...rest, left: leftSkill(skill, missing.code, missing.why) }
    return { ...rest, skill: { ...skill, digest: digests ? await skillDigest(skill.realFolder) : undefined } }
  })
  for (const { skill, left: leftOut, warnings: own } of looked) {
    warnings.push(...own)
    if (leftOut) left.push(leftOut)
    if (!skill) continue
    const earlier = byName.get(skill.name)
    if (earlier) left.push(leftSkill(earlier, 'replaced', phrase`${skill.ref} has the same name and comes later`))
    // A known name keeps its place in the order.
    byName.set(skill.name, skill)
  }

  const names = new Set(disabled.map((name) => name.normalize('NFC')))
  const skills = [...byName.values()]
  left.push(
    ...skills
      .filter(({ name }) => names.has(name))
      .map((skill) => leftSkill(skill, 'disabled', phrase`skills.disabled in config.json names it`)),
  )
  const loaded = skills.filter(({ name }) => !names.has(name))
  return { skills: loaded, left, warnings: [...warnings, ...loaded.flatMap(signWarning)] }
}

/** Few descriptions have signs that work on their own by chance. */
function signWarning({ name, description, folder }: Skill): readonly string[] {
  const words = neutralizedWords(addNeutralized([neutralLine(name).found, neutralLine(description).found]))
  return words === '' ? [] : [phrase`${join(folder, 'SKILL.md')}: the name or the description has ${words}`]
}

function leftSkill({ name, folder, ref }: Skill, code: LeftSkill['code'], why: string): LeftSkill {
  return { name, folder, ref, code, why }
}

function untrustedSkill({ root, directory, path }: SkillFolder): LeftSkill {
  const why = phrase`its workspace is not trusted. Read the skill, then run \`foreword skills trust\``
  return { name: directory.normalize('NFC'), folder: path, ref: `${root.ref}/${directory}`, code: 'untrusted', why }
}

function untrustedText(count: number): string {
  return count === 1
    ? phrase`one skill is not loaded, since the workspace is not trusted. Read them, then run \`foreword skills trust\``
    : phrase`${count} skills are not loaded, since the workspace is not trusted. Read them, then run \`foreword skills trust\``
}

/** All paths are absolute. */
interface SkillPlaces {
  readonly home: string
  readonly directory: string
  readonly extraDirs: readonly string[]
  readonly workspace: string
  readonly trustedDirs: readonly string[]
}

/** The roots in their order (BEHAVIOURS §1.1), the workspace's last. A repeated one counts once, at its first place. */
export async function skillRoots(places: SkillPlaces): Promise<readonly SkillRoot[]> {
  const { home, directory, extraDirs, workspace } = places
  const rootRef = (path: string) => (isWithin(home, path) ? relative(home, path).split(sep).join('/') || '.' : path)
  const shared = join(workspace, '.agents', 'skills')
  const roots: readonly SkillRoot[] = [
    { path: directory, ref: rootRef(directory), kind: 'home' },
    ...extraDirs.map((path) => ({ path, ref: rootRef(path), kind: 'extra' as const })),
    {
      path: shared,
      ref: rootRef(shared),
      kind: 'workspace',
      trusted: isTrustedFolder(await resolvePath(places.workspace), {
        home: await resolvePath(places.home),
        trustedDirs: await Promise.all(places.trustedDirs.map(resolvePath)),
      }),
    },
  ]
  const real = await Promise.all(roots.map(({ path }) => resolvePath(path)))
  return roots.filter((_, index) => real.indexOf(real[index]!) === index)
}

/** Unchanged if nothing is there. */
async function resolvePath(path: string): Promise<string> {
  return realpath(path).catch(() => resolve(path))
}

/**
 * The home's are the owner's own; an entry of `trustedDirs` does not cover its subfolders. Absolute, links resolved.
 */
export function isTrustedFolder(
  workspace: string,
  { home, trustedDirs }: Pick<SkillPlaces, 'home' | 'trustedDirs'>,
): boolean {
  return isWithin(home, workspace) || trustedDirs.includes(workspace)
}

interface SkillFolder {
  readonly root: SkillRoot
  readonly directory: string
  readonly path: string
  /** Without links. */
  readonly real: string
  /** Files that declare its tools; empty without a `tools.json`. */
  readonly toolFiles: readonly ToolFile[]
}

/** Finds the skills of a root, by name in code-unit order, through symbolic links. A missing root has none. Never rejects. */
async function findSkillFolders(
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

interface SkillRead {
  readonly skill?: Skill
  readonly left?: LeftSkill
  readonly warnings: readonly string[]
}

/** Without its digest; follows no link out of its root. Never rejects: faults are warnings. */
async function readSkillFolder(folder: SkillFolder, from: TextReader): Promise<SkillRead> {
  const { directory, path, real, root } = folder
  // Links may lead within the root; for the root of a workspace, within the workspace.
  const shared = root.kind === 'workspace' ? dirname(dirname(root.path)) : root.path
  const read = readerWithin([real, shared], from)
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
  const { fields, warnings } = readFrontmatter(found.text)
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

export function describeUnread(found: Exclude<TextRead, { readonly type: 'text' }>): string {
  return found.type === 'missing' ? phrase`it is a link that leads nowhere` : found.why
}

/** At most `limit` at a time. Results are in the order of the items; rejects with the first failure. */
async function inParallel<Item, Result>(
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
