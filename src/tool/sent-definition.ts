import { addNeutralized, type NeutralizedSigns, neutralText, type ToolDefinition } from '../context.ts'
import { defined } from '../platform.ts'
import type { Tool } from './tool.ts'

/** A tool as it is described to the model, and the way back from what the model writes in its words. */
interface SentDefinition {
  readonly definition: ToolDefinition
  /** An input with the values and keys that the tool knows, in the place of those that the model was shown. */
  restore(input: unknown): unknown
}

/** The description of a tool without signs that work on their own (controls, directions, chat tokens). The tool stays. */
export function sentDefinition(tool: Tool): SentDefinition {
  const sent = made.get(tool) ?? makeDefinition(tool)
  made.set(tool, sent)
  return sent
}

/** A tool never changes, so nothing here is ever wrong. */
const made = new WeakMap<Tool, SentDefinition>()

/** The description of a tool as it was declared. */
export function toolDefinition(tool: Tool): ToolDefinition {
  const { name, description, inputSchema, tokens, keepsOutput, reads, offeredWith } = tool
  return defined({ name, description, inputSchema, tokens, keepsOutput, reads, offeredWith })
}

function makeDefinition(tool: Tool): SentDefinition {
  const found: NeutralizedSigns[] = []
  const origins = new Map<string, string>()
  const neutral = (text: string, isProse: boolean): string => {
    const { text: shown, found: inText } = neutralText(text)
    if (Object.keys(inText).length === 0) return text
    found.push(inText)
    if (!isProse) origins.set(shown, text)
    return shown
  }
  const declared = toolDefinition(tool)
  const { description } = declared
  const definition = {
    ...declared,
    ...(description !== undefined && { description: neutral(description, true) }),
    inputSchema: neutralSchema(declared.inputSchema, neutral) as ToolDefinition['inputSchema'],
  }
  return {
    definition: found.length > 0 ? { ...definition, neutralized: addNeutralized(found) } : definition,
    restore: (input) => (origins.size > 0 ? restored(input, origins) : input),
  }
}

/** Keywords of a schema whose text is for readers: no value of an input is compared with it. */
const PROSE = new Set(['description', 'title', '$comment'])

/** A schema with other texts and keys. An expression that would become another is left out: the tool checks with its own. */
function neutralSchema(value: unknown, neutral: (text: string, isProse: boolean) => string, key = ''): unknown {
  if (typeof value === 'string') return neutral(value, PROSE.has(key))
  if (Array.isArray(value)) return value.map((inner) => neutralSchema(inner, neutral))
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, inner]) => {
      const shown = neutralSchema(inner, neutral, name)
      if (name === 'pattern' && typeof inner === 'string' && shown !== inner) return []
      return [[neutral(name, false), shown]]
    }),
  )
}

function restored(value: unknown, origins: ReadonlyMap<string, string>): unknown {
  if (typeof value === 'string') return origins.get(value) ?? value
  if (Array.isArray(value)) return value.map((inner) => restored(inner, origins))
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [origins.get(key) ?? key, restored(inner, origins)]),
  )
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
}
