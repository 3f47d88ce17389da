import type { Tool, ToolResult } from '../../tool.ts'
import { nearestNames } from './nearest-names.ts'
import type { SearchedSkill, SkillIndex } from './skill-index.ts'
import { skillLine } from './skills-text.ts'

/** How many skills one answer names. */
const PAGE = 10

/**
 * The tool `find_skill`: a ranked search over names and descriptions, for skills that are too many to be named in the
 * prompt. It is offered only where they are.
 */
export function findSkillTool(skills: readonly SearchedSkill[]): Tool {
  let index: Promise<SkillIndex> | undefined
  // The words of thousands of skills are only cut where somebody searches.
  const indexed = async () => (await import('./skill-index.ts')).skillIndex(skills)
  return {
    name: 'find_skill',
    description: 'Search the installed skills by what you need to do. Then read the one that fits with read_skill.',
    inputSchema: {
      type: 'object',
      properties: {
        query: { type: 'string', description: 'A few words: the task, the format, the program.' },
        offset: { type: 'integer', minimum: 0, description: 'Results to skip.' },
      },
      required: ['query'],
      additionalProperties: false,
    },
    readsContext: true,
    idempotent: true,
    origin: 'file',
    offeredWith: { layer: 'skills', form: 'list-search' },
    async execute(input): Promise<ToolResult> {
      // The toolbox has checked it against the schema above.
      const { query, offset = 0 } = input as { readonly query: string; readonly offset?: number }
      const found = (await (index ??= indexed())).find(query)
      if (found.length === 0) return { ok: true, output: nothingText(query, skills) }
      const shown = found.slice(offset, offset + PAGE)
      if (shown.length === 0) return { ok: true, output: `[the results end at ${found.length}]` }
      const more = found.length - offset - shown.length
      const end = offset + shown.length
      const rest = more > 0 ? `[${offset + 1} to ${end} of ${found.length}; go on with offset ${end}]\n` : ''
      return { ok: true, output: `${shown.map((skill) => skillLine(skill, true)).join('')}${rest}` }
    },
  }
}

function nothingText(query: string, skills: readonly SearchedSkill[]): string {
  const near = nearestNames(
    query,
    skills.map(({ name }) => name),
  )
  const names = near.length === 0 ? 'Try other words.' : `Names that are near: ${near.join(', ')}.`
  return `No skill has these words. ${names}`
}
