import { readdir } from 'node:fs/promises'
import { join, relative } from 'node:path'
import type { PathInFolder } from '../../capability.ts'
import { confinedPath, isWithin, resolvedPath } from '../../capability/toolkit.ts'
import { holdFolder, writeFileAtomically } from '../../platform.ts'
import { fileDiff, isOwnersName, type ToolFailed, type ToolPlan } from '../../tool.ts'
import {
  textDigest,
  type WorkspaceFile,
  MOST_FILE_BYTES,
  readTextFile,
  printableName,
  type WorkspaceOptions,
} from './text-file.ts'

/** The new text of a file, or why the change cannot be made. `said` is the answer to the model. */
export type Change =
  | { readonly type: 'text'; readonly text: string; readonly said: string }
  | { readonly type: 'refused'; readonly why: string }

/** Decides the new text of a file. `before` is its text, `undefined` if there is no file. */
type Changing = (shown: string, before: string | undefined) => Change

/**
 * Plans a change to one file: the folder, a diff, and the digests before and after (BEHAVIOURS §2). Its run makes
 * exactly this change, or none if the file has changed by then.
 */
export async function changePlan(
  options: WorkspaceOptions,
  path: string,
  changing: Changing,
): Promise<ToolPlan | ToolFailed> {
  const place = await confinedPath(options.folder, path, options.outOfReach)
  if (place.type === 'refused') return failure(place.why)
  const shown = printableName(place.names.join('/')) || '.'
  const kept = await ownerOnlyReason(place, options)
  if (kept !== undefined) return failure(`${shown} is out of reach for changes: ${kept}`)
  const found = await readTextFile(place)
  if (found.type === 'folder') return failure(`${shown} is a folder, not a file`)
  if (found.type === 'unusable') return failure(found.why)
  const before = found.type === 'text' ? found : undefined
  const change = changing(shown, before?.text)
  if (change.type === 'refused') return failure(change.why)
  const fault = textFault(shown, change.text, before)
  if (fault !== undefined) return failure(fault)
  return planReplacement(place, shown, before, change)
}

type Before = Extract<WorkspaceFile, { type: 'text' }> | undefined

async function planReplacement(
  place: PathInFolder,
  shown: string,
  before: Before,
  { text, said }: Extract<Change, { type: 'text' }>,
): Promise<ToolPlan> {
  return {
    folder: place.root,
    diff: await fileDiff(shown, before?.text, text),
    facts: { path: place.names.join('/'), before: before?.digest ?? 'new', after: textDigest(text) },
    async run() {
      const isReplaced = await replaceFile(place, text, before)
      if (!isReplaced) return failure(`${shown}: ${CHANGED}`)
      return { ok: true, output: said, meta: { bytes: Buffer.byteLength(text) } }
    },
  }
}

function textFault(shown: string, text: string, before: Before): string | undefined {
  if (!text.isWellFormed()) return 'the text holds half a character (a lone surrogate)'
  if (text.includes('\0')) return 'the text holds a NUL byte: only text files are written'
  if (text === before?.text) return `${shown} already holds exactly this text`
  const bytes = Buffer.byteLength(text)
  return bytes > MOST_FILE_BYTES
    ? `${shown} would hold ${bytes} bytes; at most ${MOST_FILE_BYTES} are written`
    : undefined
}

function failure(error: string): ToolFailed {
  return { ok: false, error }
}

const CHANGED = 'the file has changed since the change was shown: read it again, then change it'

/**
 * Writes beside the file, brings it to disk, and renames it. Answers false, and writes nothing, where the file is not
 * `before` any more. Permission bits stay. Makes missing folders, and follows no link.
 */
async function replaceFile(place: PathInFolder, text: string, before: Before): Promise<boolean> {
  const name = place.names.at(-1)
  if (name === undefined) return false
  const folder = await holdFolder(place.root, place.names.slice(0, -1), { create: before === undefined })
  try {
    if (!(await isStill(place, before))) return false
    await writeFileAtomically(folder.at(name), text, { mode: before?.mode ?? 'umask' })
    return true
  } finally {
    await folder.close()
  }
}

async function isStill(place: PathInFolder, before: Before): Promise<boolean> {
  const now = await readTextFile(place)
  return before === undefined ? now.type === 'missing' : now.type === 'text' && now.digest === before.digest
}

/**
 * Why only the owner may change a file, or `undefined`. Git runs programs in `.git`; and a model that could write a file of
 * the operator's layers, under any name that a link gives it, would write its own instructions.
 */
async function ownerOnlyReason(
  { root, path, names }: PathInFolder,
  { readOnly = [] }: Pick<WorkspaceOptions, 'readOnly'>,
): Promise<string | undefined> {
  const plain = names.map(plainName)
  if (plain.includes('.git')) return 'what stands in .git can make git run programs'
  if (plain[0] === '.agents') return SKILLS
  if (plain.length === 1 && plain[0] === 'agents.md') return INSTRUCTIONS
  if (plain.some(isOwnersName)) return 'agents or programs obey it; only its owner changes it'
  const files = await Promise.all([join(root, 'AGENTS.md'), ...readOnly].map(resolvedPath))
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
  const real = await Promise.all([...roots, ...linked.flat()].map(resolvedPath))
  return real.filter((folder) => folder !== undefined)
}

/** If the whole workspace is in a folder of skills, only files that make a skill count, not everything in it. */
function holdsSkill(folder: string, root: string, path: string): boolean {
  if (!isWithin(folder, path)) return false
  return !isWithin(folder, root) || MAKES_A_SKILL.test(plainName(relative(folder, path)))
}

/** Files of a skill that are read or run, by their path in the folder of skills. */
const MAKES_A_SKILL = /(?:^|[/\\])(?:skill\.md|(?:tools|allowlist|execution)\.json)$|^[^/\\]+[/\\]scripts[/\\]/

/** A name without the differences that some file systems ignore: case and invisible characters. */
function plainName(name: string): string {
  return name
    .replace(/\p{Cf}/gu, '')
    .toUpperCase()
    .toLowerCase()
}
