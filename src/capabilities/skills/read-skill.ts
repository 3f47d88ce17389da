import { fittingPage } from '../../capability/toolkit.ts'
import { type Message, neutralLine, outputText, toolCalls, toolResults } from '../../context.ts'
import { isObject, once } from '../../platform.ts'
import { splitWords } from '../../search.ts'
import { type Tool, type ToolContext, toolFailure, type ToolResult } from '../../tool.ts'
import { readSkillFile } from './folder/skill-files.ts'
import type { Skill } from './skill.ts'
import { skillLine, skillSummary } from './skills-text.ts'

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

const PAGE = 10

/** The tool `find_skill`, for skills that are too many to be named in the prompt. */
export function findSkillTool(skills: readonly SearchedSkill[]): Tool {
  // Indexing thousands of skills takes time, so it waits for the first search.
  const index = once(async () => skillIndex(skills))
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
function nearestNames(text: string, names: readonly string[]): readonly string[] {
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

type SearchedSkill = Pick<Skill, 'name' | 'description' | 'body'>

/** The share of a word's weight for a word that only begins like it, such as `invoices` for `invoice`. */
const BEGINNING = 0.6
/** A word of the name counts for more than one of the description. */
const NAME_WEIGHT = 3
/** BM25: how fast repetition stops counting, and how much length counts. */
const BM25 = { k: 1.2, b: 0.75 } as const

/** BM25 over names (counted three times) and descriptions. Returns the search: matching skills, best first. */
function skillIndex(skills: readonly SearchedSkill[]): (query: string) => readonly SearchedSkill[] {
  const documents = skills.map((skill) => {
    const counts = new Map<string, number>()
    const add = (text: string, weight: number) => {
      for (const word of searchWords(text)) counts.set(word, (counts.get(word) ?? 0) + weight)
    }
    add(skill.name, NAME_WEIGHT)
    add(skillSummary(skill), 1)
    return { skill, counts, length: [...counts.values()].reduce((sum, count) => sum + count, 0) }
  })
  const mean = documents.reduce((sum, { length }) => sum + length, 0) / Math.max(1, documents.length)
  const holders = new Map<string, number>()
  for (const { counts } of documents) for (const word of counts.keys()) holders.set(word, (holders.get(word) ?? 0) + 1)

  /** The words of the index that match a word of the query, with the share of their weight that counts. */
  function matches(word: string): readonly (readonly [word: string, share: number])[] {
    const near = [...holders.keys()].filter((known) => known !== word && beginAlike(word, known))
    const exact = holders.has(word) ? ([[word, 1]] as const) : []
    return [...exact, ...near.map((known) => [known, BEGINNING] as const)]
  }

  return (query) => {
    const wanted = [...new Set(searchWords(query))].map(matches)
    const scored = documents.map(({ skill, counts, length }) => {
      const spread = BM25.k * (1 - BM25.b + (BM25.b * length) / mean)
      const score = wanted.reduce((sum, words) => {
        const best = words.map(([word, share]) => {
          const count = counts.get(word)
          if (count === undefined) return 0
          const held = holders.get(word)!
          const rarity = Math.log(1 + (documents.length - held + 0.5) / (held + 0.5))
          return (share * rarity * count * (BM25.k + 1)) / (count + spread)
        })
        return sum + Math.max(0, ...best)
      }, 0)
      return { skill, score }
    })
    return scored
      .filter(({ score }) => score > 0)
      .toSorted((one, other) => other.score - one.score)
      .map(({ skill }) => skill)
  }
}

/** Names are written with hyphens, underscores and capitals within: each part is a word. */
function searchWords(text: string): readonly string[] {
  return splitWords(text.replaceAll(/[_\-/.]+/g, ' ').replaceAll(/(\p{Ll})(\p{Lu})/gu, '$1 $2'))
}

function beginAlike(one: string, other: string): boolean {
  const [short, long] = one.length < other.length ? [one, other] : [other, one]
  return short.length >= 4 && long.length - short.length <= 3 && long.startsWith(short)
}
