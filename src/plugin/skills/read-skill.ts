import { type Message, outputText, toolCalls, toolResults } from '../../context.ts'
import type { Tool, ToolContext, ToolResult } from '../../tool.ts'
import { readSkillFile } from './skill-file.ts'
import type { Skill } from './skill.ts'

/** What is read here: `SKILL.md` without its frontmatter, or a file beside it. */
type ReadableSkill = Pick<Skill, 'name' | 'body' | 'folder'>

/**
 * The tool `read_skill` (BEHAVIOURS §1.4). A name is looked up among those that are loaded and never becomes a path. What
 * still stands, unchanged, in what the model has in front of it is not said twice.
 */
export function readSkillTool(skills: readonly ReadableSkill[], offeredWith?: Tool['offeredWith']): Tool {
  const byName = new Map(skills.map((skill) => [skill.name, skill]))
  const faultOf = (input: Readonly<Record<string, unknown>>): string | undefined => {
    const { skill_name: name, path } = input
    if (typeof name !== 'string' || name === '') return 'missing skill_name'
    if (!byName.has(name)) return `unknown skill: ${name.slice(0, 200)}`
    return path === undefined || path === null || typeof path === 'string' ? undefined : 'path must be a string'
  }
  return {
    name: 'read_skill',
    description:
      "Read a skill's full documentation before you use it. With `path`, read one of the files that the skill ships, " +
      'such as a reference that its documentation names.',
    inputSchema: {
      type: 'object',
      properties: {
        skill_name: { type: 'string', enum: [...byName.keys()], description: 'Name of the skill.' },
        path: { type: 'string', description: "A file's path, relative to the folder of the skill." },
      },
      required: ['skill_name'],
      additionalProperties: false,
    },
    readsContext: true,
    idempotent: true,
    keepsOutput: true,
    maxShownChars: 64_000,
    origin: 'file',
    ...(offeredWith && { offeredWith }),
    faultOf,
    async execute(input, context) {
      if (!isObject(input)) return { ok: false, error: 'arguments must be an object' }
      const fault = faultOf(input)
      if (fault !== undefined) return { ok: false, error: fault }
      return await answer(byName.get(input.skill_name as string)!, pathOf(input), context)
    },
  }
}

async function answer(skill: ReadableSkill, path: string, { seen = [] }: ToolContext): Promise<ToolResult> {
  const found = path === '' ? { ok: true as const, text: skill.body } : await readSkillFile(skill.folder, path)
  if (!found.ok) return found
  if (!standsIn(seen, skill.name, path, found.text)) return { ok: true, output: found.text }
  const what =
    path === '' ? `The documentation of the skill ${skill.name}` : `The file ${path} of the skill ${skill.name}`
  return { ok: true, output: `${what} stands above, unchanged.` }
}

/** Whether a result of this very call, with this very text, is among the messages. */
function standsIn(messages: readonly Message[], name: string, path: string, text: string): boolean {
  const calls = new Set(
    messages
      .flatMap(toolCalls)
      .filter(({ toolName, input }) => {
        return toolName === 'read_skill' && isObject(input) && input.skill_name === name && pathOf(input) === path
      })
      .map(({ toolCallId }) => toolCallId),
  )
  return messages
    .flatMap(toolResults)
    .some(({ toolCallId, output }) => calls.has(toolCallId) && output.type === 'text' && outputText(output) === text)
}

function pathOf({ path }: Readonly<Record<string, unknown>>): string {
  return typeof path === 'string' ? path : ''
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
