import { createHash } from 'node:crypto'
import { constants } from 'node:fs'
import { open, readdir, readlink, realpath, stat } from 'node:fs/promises'
import { join, relative, resolve, sep } from 'node:path'
import { addNeutralized, neutralizedWords, neutralLine, phrase } from '../../../context.ts'
import { type HeldFolder, holdRealFolder, isWithin } from '../../../platform.ts'
import { readText, type TextReader } from '../../../tool.ts'
import type { LeftSkill, LoadedSkills, Skill, SkillRoot } from '../skill.ts'
import { cachedFinder, type Machine, missingRequirements } from './requirements.ts'
import { findSkillFolders, inParallel, readSkillFolder, type SkillFolder, type SkillRead } from './skill-folder.ts'

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

/** Waits for no pipe. */
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
