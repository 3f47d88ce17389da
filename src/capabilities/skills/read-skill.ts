import { type Message, outputText, tokenx, toolCalls, toolResults } from '../../context.ts'
import type { Tool, ToolContext, ToolResult } from '../../tool.ts'
import { textPage } from '../../capability.ts'
import { nearestNames } from './nearest-names.ts'
import { readSkillFile } from './folder/skill-file.ts'
import type { Skill } from './skill.ts'

/** What is read here: `SKILL.md` without its frontmatter, or a file beside it. */
type ReadableSkill = Pick<Skill, 'name' | 'body' | 'folder'>

export interface ReadSkillOptions {
  /** Whether the schema names every skill; where not, an unknown name is answered with the nearest ones. */
  readonly inSchema: boolean
  readonly offeredWith?: Tool['offeredWith']
}

/** The most of a text that one answer gives, characters, where the room allows it. */
const LONGEST_PAGE = 64_000
/** What says where a page ends, characters. */
const NOTE = 100

/**
 * The tool `read_skill` (BEHAVIOURS §1.4). A name is looked up among those that are loaded and never becomes a path. What
 * still stands, unchanged, in what the model has in front of it is not said twice. What is larger than the room comes in
 * pages, each with the offset of the next.
 */
export function readSkillTool(skills: readonly ReadableSkill[], { inSchema, offeredWith }: ReadSkillOptions): Tool {
  const byName = new Map(skills.map((skill) => [skill.name, skill]))
  const names = [...byName.keys()]
  const faultOf = (input: Readonly<Record<string, unknown>>): string | undefined => {
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
    origin: 'file',
    ...(offeredWith && { offeredWith }),
    // A parameter that is null is not there.
    inputOf: (input) => Object.fromEntries(Object.entries(input).filter(([, value]) => value !== null)),
    faultOf,
    async execute(input, context) {
      if (!isObject(input)) return { ok: false, error: 'arguments must be an object' }
      const fault = faultOf(input)
      if (fault !== undefined) return { ok: false, error: fault }
      const asked = { path: pathOf(input), offset: offsetOf(input) }
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
  const found = path === '' ? { ok: true as const, text: skill.body } : await readSkillFile(skill.folder, path)
  if (!found.ok) return found
  const { text } = found
  const most = pageLength(text, context.room)
  const output = offset === 0 && text.length <= most ? text : textPage(text, offset, most)
  if (!standsIn(context.seen ?? [], skill.name, asked, output)) return { ok: true, output }
  const what =
    path === '' ? `The documentation of the skill ${skill.name}` : `The file ${path} of the skill ${skill.name}`
  const part = output === text ? what : `This part of ${what.replace('The', 'the')}`
  return { ok: true, output: `${part} stands above, unchanged.` }
}

/** How many characters of a text the room holds, by what the text itself costs. */
function pageLength(text: string, room: ToolContext['room']): number {
  const most = Math.min(LONGEST_PAGE, room?.characters ?? LONGEST_PAGE)
  const cost = room === undefined ? 0 : tokenx.text(text)
  const fits = room === undefined || cost <= room.tokens ? most : Math.floor((text.length * room.tokens) / cost)
  const held = Math.min(most, fits)
  return text.length <= held ? held : Math.max(LEAST_PAGE, held - NOTE)
}

/** However short the room is, so much is read at a time, characters. */
const LEAST_PAGE = 1_000

/** Whether a result of this very call, with this very text, is among the messages. */
function standsIn(messages: readonly Message[], name: string, { path, offset }: Asked, text: string): boolean {
  const calls = new Set(
    messages
      .flatMap(toolCalls)
      .filter(({ toolName, input }) => {
        if (toolName !== 'read_skill' || !isObject(input)) return false
        return input.skill_name === name && pathOf(input) === path && offsetOf(input) === offset
      })
      .map(({ toolCallId }) => toolCallId),
  )
  return messages
    .flatMap(toolResults)
    .some(({ toolCallId, output }) => calls.has(toolCallId) && output.type === 'text' && outputText(output) === text)
}

function offsetOf({ offset }: Readonly<Record<string, unknown>>): number {
  return typeof offset === 'number' ? offset : 0
}

function pathOf({ path }: Readonly<Record<string, unknown>>): string {
  return typeof path === 'string' ? path : ''
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
