import { followWithin, type HeldFolder, holdRealFolder, isObject, withOpened, isWithin } from '../../platform.ts'
import { constants } from 'node:fs'
import { open, readdir } from 'node:fs/promises'
import { relative, resolve, sep } from 'node:path'
import { fittingPage } from '../../capability/toolkit.ts'
import { type Message, neutralLine, outputText, toolCalls, toolResults } from '../../context.ts'
import { type Tool, type ToolContext, type ToolFailed, type ToolResult, toolFailure } from '../../tool.ts'
import { nearestNames } from './find-skill.ts'
import type { Skill } from './skill.ts'

type ReadableSkill = Pick<Skill, 'name' | 'body' | 'folder' | 'realFolder'>

interface ReadSkillOptions {
  /** Whether the schema names every skill; where not, an unknown name is answered with the nearest ones. */
  readonly inSchema: boolean
  readonly offeredWith?: Tool['offeredWith']
}

/** The largest part of a text in one answer, characters, where the room allows it. */
const LONGEST_PAGE = 64_000

/**
 * The tool `read_skill` (BEHAVIOURS §1.4). A name never becomes a path. It does not repeat a text that the model
 * still has in its context, unchanged. A larger text comes in pages, each with the offset of the next.
 */
export function readSkillTool(skills: readonly ReadableSkill[], { inSchema, offeredWith }: ReadSkillOptions): Tool {
  const names = skills.map(({ name }) => name)
  // Lists show a name on which nothing works on its own.
  const byName = new Map([
    ...skills.map((skill) => [neutralLine(skill.name).text, skill] as const),
    ...skills.map((skill) => [skill.name, skill] as const),
  ])
  const inputError = (input: Readonly<Record<string, unknown>>): string | undefined => {
    const { skill_name: name, path, offset } = input
    if (typeof name !== 'string' || name === '') return 'missing skill_name'
    if (!byName.has(name)) return `unknown skill: ${name.slice(0, 200)}${inSchema ? '' : nearestText(name, names)}`
    if (path !== undefined && path !== null && typeof path !== 'string') return 'path must be a string'
    if (offset === undefined || offset === null || (Number.isInteger(offset) && (offset as number) >= 0))
      return undefined
    return 'offset must be a whole number, 0 or more'
  }
  return {
    name: 'read_skill',
    description:
      "Read a skill's full documentation before you use it. With `path`, read one of the files that the skill ships, " +
      'such as a reference that its documentation names.',
    inputSchema: {
      type: 'object',
      properties: {
        skill_name: { type: 'string', ...(inSchema && { enum: names }), description: 'Name of the skill.' },
        path: { type: 'string', description: "A file's path, relative to the folder of the skill." },
        offset: { type: 'integer', description: 'Character to go on from in a long text.' },
      },
      required: ['skill_name'],
      additionalProperties: false,
    },
    readsContext: true,
    idempotent: true,
    keepsOutput: true,
    maxShownChars: LONGEST_PAGE,
    // Skills are instructions that their owner has installed.
    origin: 'operator',
    results: 'guidance',
    ...(offeredWith && { offeredWith }),
    // As Chai reads it (BEHAVIOURS §1.4): a name is exact, and a parameter that is null counts as absent.
    takesExactInput: true,
    normalizeInput: (input) => Object.fromEntries(Object.entries(input).filter(([, value]) => value !== null)),
    inputError,
    async execute(input, context) {
      if (!isObject(input)) return toolFailure('arguments must be an object')
      const fault = inputError(input)
      if (fault !== undefined) return toolFailure(fault)
      const asked = { path: inputPath(input), offset: inputOffset(input) }
      return await answer(byName.get(input.skill_name as string)!, asked, context)
    },
  }
}

function nearestText(name: string, names: readonly string[]): string {
  const near = nearestNames(name, names)
  return near.length === 0 ? '' : `; the nearest are ${near.join(', ')}`
}

interface Asked {
  readonly path: string
  readonly offset: number
}

async function answer(skill: ReadableSkill, asked: Asked, context: ToolContext): Promise<ToolResult> {
  const { path, offset } = asked
  const text = path === '' ? skill.body : await readSkillFile(skill.realFolder, path, skill.folder)
  if (typeof text !== 'string') return text
  const output = fittingPage(text, offset, context.room, LONGEST_PAGE)
  if (!isAlreadyShown(context.seen ?? [], skill.name, asked, output)) return { ok: true, output }
  const what =
    path === '' ? `The documentation of the skill ${skill.name}` : `The file ${path} of the skill ${skill.name}`
  const part = output === text ? what : `This part of ${what.replace('The', 'the')}`
  return { ok: true, output: `${part} stands above, unchanged.` }
}

/** Whether a result of this very call, with this very text, is among the messages. */
function isAlreadyShown(messages: readonly Message[], name: string, { path, offset }: Asked, text: string): boolean {
  const calls = new Set(
    messages
      .flatMap(toolCalls)
      .filter(({ toolName, input }) => {
        if (toolName !== 'read_skill' || !isObject(input)) return false
        return input.skill_name === name && inputPath(input) === path && inputOffset(input) === offset
      })
      .map(({ toolCallId }) => toolCallId),
  )
  return messages
    .flatMap(toolResults)
    .some(({ toolCallId, output }) => calls.has(toolCallId) && output.type === 'text' && outputText(output) === text)
}

function inputOffset({ offset }: Readonly<Record<string, unknown>>): number {
  return typeof offset === 'number' ? offset : 0
}

function inputPath({ path }: Readonly<Record<string, unknown>>): string {
  return typeof path === 'string' ? path : ''
}

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
  // Without O_NONBLOCK, opening a pipe without a writer would block.
  const handle = await open(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
  try {
    const found = await handle.stat()
    if (found.isDirectory()) return toolFailure(`path ${shown} is a folder. It holds: ${await folderNames(file)}`)
    if (!found.isFile()) return toolFailure(`path ${shown} is not a file`)
    const buffer = Buffer.alloc(Math.min(found.size, LARGEST_SKILL_FILE) + 1)
    const filled = await fill(handle, buffer)
    if (filled > LARGEST_SKILL_FILE) {
      return toolFailure(`path ${shown} has ${found.size} bytes, more than the ${LARGEST_SKILL_FILE} that can be read`)
    }
    const bytes = buffer.subarray(0, filled)
    if (bytes.includes(0)) return toolFailure(binary(shown, filled))
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (error) {
    if (error instanceof TypeError) return toolFailure(binary(shown, (await handle.stat()).size))
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
