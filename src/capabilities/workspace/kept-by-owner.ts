import { readdir } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { type Inside, isWithin, realPlace } from '../../capability.ts'
import type { WorkspaceOptions } from './workspace-options.ts'

/**
 * Why a file is the owner's alone, or `undefined`. Git runs programs that stand in `.git`; what the operator's layers are
 * read from, under whichever name a link gives it, would let a model write its own instructions.
 */
export async function keptByOwner(
  { root, path, names }: Inside,
  { readOnly = [] }: Pick<WorkspaceOptions, 'readOnly'>,
): Promise<string | undefined> {
  const plain = names.map(plainName)
  if (plain.includes('.git')) return 'what stands in .git can make git run programs'
  if (plain[0] === '.agents') return SKILLS
  if (plain.length === 1 && plain[0] === 'agents.md') return INSTRUCTIONS
  const files = await Promise.all([join(root, 'AGENTS.md'), ...readOnly].map(realPlace))
  if (files.includes(path)) return INSTRUCTIONS
  const folders = await skillFolders([join(root, '.agents', 'skills'), ...readOnly])
  return folders.some((folder) => holdsSkill(folder, root, path)) ? SKILLS : undefined
}

const INSTRUCTIONS = 'it becomes instructions; only its owner changes it'
const SKILLS = 'skills become instructions; only their owner changes them'

/** Roots of skills and the folders that links in them lead to, without links. */
async function skillFolders(roots: readonly string[]): Promise<readonly string[]> {
  const linked = await Promise.all(
    roots.map(async (root) => {
      const entries = await readdir(root, { withFileTypes: true }).catch(() => [])
      return entries.filter((entry) => entry.isSymbolicLink()).map(({ name }) => join(root, name))
    }),
  )
  const real = await Promise.all([...roots, ...linked.flat()].map(realPlace))
  return real.filter((folder) => folder !== undefined)
}

/** Where the whole workspace lies in a folder of skills, what makes a skill is meant and not all that it holds. */
function holdsSkill(folder: string, root: string, path: string): boolean {
  if (!isWithin(folder, path)) return false
  return !isWithin(folder, root) || MAKES_A_SKILL.test(plainName(relative(folder, path)))
}

/** What is read or run of a skill, by its path in the folder of skills. */
const MAKES_A_SKILL = /(?:^|[/\\])(?:skill\.md|(?:tools|allowlist|execution)\.json)$|^[^/\\]+[/\\]scripts[/\\]/

/** A name however some file systems let it be written: in any case, with characters in it that they ignore. */
function plainName(name: string): string {
  return name
    .replace(/\p{Cf}/gu, '')
    .toUpperCase()
    .toLowerCase()
}
