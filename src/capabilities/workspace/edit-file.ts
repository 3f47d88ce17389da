import { countedText } from '../../context.ts'
import {
  createOwnerEnds,
  fileDiff,
  obeyedWithin,
  type Tool,
  type ToolContext,
  type ToolFailed,
  type ToolPlan,
  toolFailure,
} from '../../tool.ts'
import {
  MOST_FILE_BYTES,
  type WorkspaceOptions,
  contentDigest,
  type WorkspaceFile,
  readTextFile,
  printableName,
} from './text-file.ts'
import { readdir } from 'node:fs/promises'
import { join, relative } from 'node:path'
import type { PathInFolder } from '../../capability.ts'
import { confinedPath, pathInput, resolvedPath } from '../../capability/toolkit.ts'
import { encodedBytes, decodedFile } from '../../document.ts'
import { type Clock, folderBytes, holdFolder, serialQueue, writeFileAtomically, isWithin } from '../../platform.ts'

interface EditInput {
  readonly path: string
  readonly old_text: string
  readonly new_text: string
  readonly replace_all?: boolean
}

export function changeTools(options: WorkspaceOptions): readonly Tool[] {
  const state: ChangeState = { ...options, ends: createOwnerEnds(), writes: serialQueue() }
  return [writeFileTool(state), editFileTool(state)]
}

interface ChangeState extends WorkspaceOptions {
  readonly ends: ReturnType<typeof createOwnerEnds>
  /** One write after another, so that two together make nothing that neither may make alone. */
  readonly writes: ReturnType<typeof serialQueue>
}

function editFileTool(state: ChangeState): Tool {
  return {
    name: 'edit_file',
    description:
      'Replace old_text in a file by new_text. old_text must stand there exactly, and once unless replace_all.',
    inputSchema: {
      type: 'object',
      properties: {
        path: pathInput,
        old_text: { type: 'string', minLength: 1 },
        new_text: { type: 'string' },
        replace_all: { type: 'boolean' },
      },
      required: ['path', 'old_text', 'new_text'],
      additionalProperties: false,
    },
    approval: 'ask',
    // It changes the workspace alone; what others obey there asks by its plan.
    afterUntrusted: 'allow',
    // A failure shows lines of the file.
    origin: 'file',
    readsFrom: ({ path }) => [String(path)],
    results: 'own',
    plan(input, context) {
      const edit = input as EditInput
      return changePlan(state, context, edit.path, (shown, before) => {
        if (before === undefined) return refuseEdit(`${shown} does not exist; write_file creates a file`)
        return editText(shown, before, edit)
      })
    },
  }
}

function editText(shown: string, before: string, { old_text, new_text, replace_all = false }: EditInput): Change {
  // Only a text of nothing but line ends means exactly those.
  const asIs = (text: string) => text
  const plainLines = /^[\r\n]*\r[\r\n]*$/.test(old_text) ? asIs : (text: string) => text.replaceAll(LINE_END, '\n')
  const [plain, wanted, added] = [before, old_text, new_text].map(plainLines) as [string, string, string]
  const parts = plain.split(wanted)
  const count = parts.length - 1
  if (count === 0) return refuseEdit(`old_text was not found in ${shown}${nearestText(plain, wanted)}`)
  if (count > 1 && !replace_all) {
    return refuseEdit(
      `old_text was found ${count} times in ${shown}: add lines around it until it is unique, or set replace_all`,
    )
  }
  if (plain.length + count * (added.length - wanted.length) > MOST_FILE_BYTES) {
    return refuseEdit(`${shown} would grow beyond the ${MOST_FILE_BYTES} bytes that are written`)
  }
  const text = plainLines === asIs ? parts.join(added) : joinWithLineEnds(parts, wanted, added, before)
  return { type: 'text', text, said: `edited ${shown} (${countedText(count, 'place')})` }
}

const LINE_END = /\r\n|\n|\r/g

/** Joins parts of a text that had its line ends replaced by `\n`: each line keeps its end, and a new one gets that of a line it replaces. */
function joinWithLineEnds(parts: readonly string[], wanted: string, added: string, before: string): string {
  const ends = before.match(LINE_END) ?? []
  const usual = usualEnd(before)
  const replaced = wanted.split('\n').length - 1
  let next = 0
  return parts
    .map((part, index) => {
      const own = index === 0 ? [] : ends.slice(next, (next += replaced))
      let line = 0
      const start = index === 0 ? '' : added.replaceAll('\n', () => own[line++] ?? own.at(-1) ?? usual)
      return start + part.replaceAll('\n', () => ends[next++]!)
    })
    .join('')
}

/** How most lines of a text end; `\n` where it has one line. */
function usualEnd(text: string): string {
  const ends = text.match(LINE_END) ?? []
  const count = (end: string) => ends.filter((each) => each === end).length
  return ['\n', '\r\n', '\r'].reduce((best, end) => (count(end) > count(best) ? end : best))
}

function refuseEdit(why: string): Change {
  return { type: 'refused', why }
}

/** Characters of a file that are shown as the nearest text. */
const SHOWN = 400

/** Larger texts are not compared line by line. */
const MOST_TEXT = 1_000_000
const MOST_WANTED = 10_000
const MOST_COMPARISONS = 20_000_000

/** As the end of a sentence for the model. */
function nearestText(text: string, wanted: string): string {
  if (text.length > MOST_TEXT || wanted.length > MOST_WANTED) return '; read the file again'
  const lines = text.split('\n')
  const asked = wanted.split('\n').map(squeezeSpaces)
  if (lines.length * asked.length > MOST_COMPARISONS) return '; read the file again'
  const found = findLines(lines.map(squeezeSpaces), trimBlankLines(asked))
  if (found !== undefined) {
    return `: from line ${found + 1} on it is the same but for spaces:\n${excerpt(lines, found, asked.length)}`
  }
  const first = asked.find((line) => line !== '') ?? ''
  const like = lines.findIndex((line) => first !== '' && squeezeSpaces(line) === first)
  if (like !== -1) return `: only its first line does, at line ${like + 1}:\n${excerpt(lines, like, asked.length)}`
  return ', nor does its first line; read the file again'
}

function squeezeSpaces(line: string): string {
  return line.replace(/\s+/g, ' ').trim()
}

function trimBlankLines(lines: readonly string[]): readonly string[] {
  const [first, last] = [lines.findIndex((line) => line !== ''), lines.findLastIndex((line) => line !== '')]
  return first === -1 ? [] : lines.slice(first, last + 1)
}

function findLines(lines: readonly string[], asked: readonly string[]): number | undefined {
  if (asked.length === 0) return undefined
  const place = lines.findIndex((_, start) => asked.every((line, index) => lines[start + index] === line))
  return place === -1 ? undefined : place
}

function excerpt(lines: readonly string[], start: number, count: number): string {
  return lines
    .slice(start, start + count)
    .join('\n')
    .slice(0, SHOWN)
    .toWellFormed()
}

interface WriteInput {
  readonly path: string
  readonly content: string
}

function writeFileTool(state: ChangeState): Tool {
  return {
    name: 'write_file',
    description: 'Create a text file, or replace all of one. Missing folders are made.',
    inputSchema: {
      type: 'object',
      properties: { path: pathInput, content: { type: 'string' } },
      required: ['path', 'content'],
      additionalProperties: false,
    },
    approval: 'ask',
    // It changes the workspace alone; what others obey there asks by its plan.
    afterUntrusted: 'allow',
    // It answers in its own words.
    origin: 'operator',
    results: 'own',
    plan(input, context) {
      const { path, content } = input as WriteInput
      return changePlan(state, context, path, (shown, before) => {
        if (before === undefined) return { type: 'text', text: content, replacesAll: true, said: `created ${shown}` }
        const text = /[\r\n]/.test(before) ? content.replaceAll(LINE_END, usualEnd(before)) : content
        return { type: 'text', text, replacesAll: true, said: `replaced ${shown}` }
      })
    },
  }
}

/** The new text of a file, or why the change cannot be made. `said` is the answer to the model. */
type Change =
  | { readonly type: 'text'; readonly text: string; readonly replacesAll?: true; readonly said: string }
  | { readonly type: 'refused'; readonly why: string }

/** Decides the new text of a file. `before` is its text, `undefined` if there is no file. */
type Changing = (shown: string, before: string | undefined) => Change

/**
 * Plans a change to one file: the folder, a diff, and the digests before and after (BEHAVIOURS §2). Its run makes
 * exactly this change, or none if the file has changed by then.
 */
async function changePlan(
  state: ChangeState,
  { clock }: ToolContext,
  path: string,
  changing: Changing,
): Promise<ToolPlan | ToolFailed> {
  const place = await confinedPath(state.folder, path, state.outOfReach)
  if (place.type === 'refused') return toolFailure(place.why)
  const shown = printableName(place.names.join('/')) || '.'
  const obeying = await obeyedWithin(place.root, place.names)
  const kept = obeying?.level === 'never' ? obeyedReason(place, obeying.by) : await ownerOnlyReason(place, state, clock)
  if (kept !== undefined) return toolFailure(`${shown} is out of reach for changes: ${kept}`)
  const found = await readTextFile(place)
  if (found.type === 'folder') return toolFailure(`${shown} is a folder, not a file`)
  if (found.type === 'unusable') return toolFailure(found.why)
  const before = found.type === 'text' ? found : undefined
  const change = changing(shown, before?.text)
  if (change.type === 'refused') return toolFailure(change.why)
  const written = encodeChange(shown, change, before)
  if (typeof written === 'string') return toolFailure(written)
  const { text, bytes, said } = written
  return {
    folder: place.root,
    diff: await fileDiff(shown, before?.text, text),
    facts: {
      path: place.names.join('/'),
      before: before?.digest ?? 'new',
      after: contentDigest(bytes),
      ...(obeying && { why: `it decides what is run by ${obeying.by}: a change of it always asks` }),
    },
    ...(obeying && { asks: true }),
    async run() {
      return state.writes.add(async () => {
        const full = await roomFault(state, bytes.length, before)
        if (full !== undefined) return toolFailure(`${shown} was not written: ${full}`)
        if (!(await replaceFile(place, bytes, before))) return toolFailure(`${shown}: ${CHANGED}`)
        return { ok: true, output: said, meta: { bytes: bytes.length } }
      })
    },
  }
}

type Before = Extract<WorkspaceFile, { type: 'text' }> | undefined

/** The bytes of the new text, in the encoding of the file and with its byte order mark; or why they cannot be written. */
function encodeChange(
  shown: string,
  change: Extract<Change, { type: 'text' }>,
  before: Before,
): { readonly text: string; readonly bytes: Uint8Array; readonly said: string } | string {
  const text = change.text.replace(/^\ufeff/, '')
  if (!text.isWellFormed()) return 'the text holds half a character (a lone surrogate)'
  if (text.includes('\0')) return 'the text holds a NUL byte: only text files are written'
  if (text === before?.text) return `${shown} already holds exactly this text`
  const { encoding, hasMark } = before ?? { encoding: 'utf-8', hasMark: change.text !== text }
  const isUtf8 = encoding === 'utf-8'
  const own = encodedBytes({ text, encoding, hasMark })
  // What would be read as something else is not written.
  const isReadable = own !== undefined && (isUtf8 || decodedFile(own)?.text === text)
  if (before && !change.replacesAll) {
    const same = encodedBytes(before)
    if (same === undefined || contentDigest(same) !== before.digest) {
      return `${shown} holds bytes that are not valid ${encoding}, and an edit would change them; write_file can replace all of it`
    }
    if (!isReadable)
      return `${shown} is in ${encoding}, which cannot hold the new text; write_file can replace all of it`
  }
  const bytes = isReadable ? own : Buffer.from(text)
  if (bytes.length > MOST_FILE_BYTES) {
    return `${shown} would hold ${bytes.length} bytes; at most ${MOST_FILE_BYTES} are written`
  }
  const note = isReadable ? '' : `; it is UTF-8 now, since ${encoding} cannot hold the new text`
  const size = countedText(bytes.length, 'byte')
  return { text, bytes, said: change.replacesAll ? `${change.said} (${size})${note}` : change.said }
}

/** Why so many bytes have no room in the workspace; `undefined`: they have, or take no more than what they replace. */
async function roomFault(
  { folder, maxBytes }: WorkspaceOptions,
  bytes: number,
  before: Before,
): Promise<string | undefined> {
  const most = maxBytes?.()
  const more = bytes - (before?.bytes ?? 0)
  if (most === undefined || more <= 0) return undefined
  const used = await folderBytes(folder)
  if (used + more <= most) return undefined
  return `the workspace has ${used} of the ${most} bytes that may be in it; remove files that are not needed any more`
}

const CHANGED = 'the file has changed since the change was shown: read it again, then change it'

/** Answers false, and writes nothing, where the file is not `before` any more. Keeps permission bits; follows no link. */
async function replaceFile(place: PathInFolder, bytes: Uint8Array, before: Before): Promise<boolean> {
  const name = place.names.at(-1)
  if (name === undefined || (await obeyedWithin(place.root, place.names))?.level === 'never') return false
  const folder = await holdFolder(place.root, place.names.slice(0, -1), { create: before === undefined })
  try {
    if (!(await isStill(place, before))) return false
    await writeFileAtomically(folder.at(name), bytes, { mode: before?.mode ?? 'umask' })
    return true
  } finally {
    await folder.close()
  }
}

async function isStill(place: PathInFolder, before: Before): Promise<boolean> {
  const now = await readTextFile(place)
  return before === undefined ? now.type === 'missing' : now.type === 'text' && now.digest === before.digest
}

function obeyedReason({ names }: PathInFolder, by: string): string {
  return plainName(names[0]!) === '.agents'
    ? SKILLS
    : `it becomes instructions or makes ${by} run programs; only its owner changes it`
}

/**
 * Why only the owner may change a file, or `undefined`. Git runs programs in `.git`; and a model that could write a file of
 * the operator's layers, under any name that a link gives it, would write its own instructions.
 */
async function ownerOnlyReason(
  { root, path }: PathInFolder,
  { readOnly = [], ends }: ChangeState,
  clock: Clock,
): Promise<string | undefined> {
  const files = await Promise.all([join(root, 'AGENTS.md'), ...readOnly].map(resolvedPath))
  if (files.includes(path)) return INSTRUCTIONS
  const folders = await skillFolders([join(root, '.agents', 'skills'), ...readOnly])
  if (folders.some((folder) => holdsSkill(folder, root, path))) return SKILLS
  const found = await ends(root, clock.monotonic()).catch((error: NodeJS.ErrnoException) => {
    // The first file makes the workspace.
    if (error.code === 'ENOENT') return []
    throw error
  })
  return found.some((end) => isWithin(end, path)) ? ANOTHER_NAME : undefined
}

const ANOTHER_NAME =
  'a file that agents, editors or Git obey leads to it, as a link or in its text; only its owner changes it'
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
