import type { Tool, ToolResult } from '../../tool.ts'
import { once } from '../../platform.ts'
import type { SearchedSkill } from './skill-index.ts'
import { skillLine } from './skills-text.ts'

const PAGE = 10

/** The tool `find_skill`, for skills that are too many to be named in the prompt. */
export function findSkillTool(skills: readonly SearchedSkill[]): Tool {
  // Indexing thousands of skills takes time, so it waits for the first search.
  const index = once(async () => (await import('./skill-index.ts')).skillIndex(skills))
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
    origin: 'operator',
    results: 'guidance',
    offeredWith: { layer: 'skills', form: 'list-search' },
    async execute(input): Promise<ToolResult> {
      // The toolbox has checked it against the schema above.
      const { query, offset = 0 } = input as { readonly query: string; readonly offset?: number }
      const search = await index()
      const found = search(query)
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

const NEAREST = 5

/** The names that are most like a text, best first: those that share the most runs of three letters. */
export function nearestNames(text: string, names: readonly string[]): readonly string[] {
  const wanted = letterRuns(text)
  return names
    .map((name) => {
      const runs = letterRuns(name)
      const shared = [...runs].filter((run) => wanted.has(run)).length
      return { name, likeness: (2 * shared) / (runs.size + wanted.size) }
    })
    .filter(({ likeness }) => likeness > 0.1)
    .toSorted((one, other) => other.likeness - one.likeness)
    .slice(0, NEAREST)
    .map(({ name }) => name)
}

function letterRuns(text: string): ReadonlySet<string> {
  const padded = `  ${text.toLowerCase().slice(0, 200)} `
  return new Set(Array.from({ length: padded.length - 2 }, (_, at) => padded.slice(at, at + 3)))
}
