import { parse, type ParseError, printParseErrorCode } from 'jsonc-parser'
import type { z } from 'zod'
import type { ToolsJson } from './tools-json.ts'
import { toolsJsonSchema } from './tools-json-schema.ts'

/** The checked content of a `tools.json`, or all that is wrong with it, each fault with its place. */
export type ToolsJsonRead =
  | { readonly type: 'tools'; readonly value: ToolsJson }
  | { readonly type: 'invalid'; readonly faults: readonly string[] }

/** Reads a `tools.json` as a whole: one fault, and none of its tools is used (BEHAVIOURS §1.1, §1.5). */
export function readToolsJson(text: string): ToolsJsonRead {
  const read = jsonOf(text.replace(/^\uFEFF/, ''))
  if (read.type === 'invalid') return read
  const checked = toolsJsonSchema.safeParse(read.value, { reportInput: true })
  if (!checked.success) return { type: 'invalid', faults: checked.error.issues.flatMap(sentences) }
  // As it was written, so that a schema keeps the order of its fields.
  const value = read.value as ToolsJson
  const faults = pairingFaults(value)
  return faults.length === 0 ? { type: 'tools', value } : { type: 'invalid', faults }
}

type JsonRead =
  | { readonly type: 'value'; readonly value: unknown }
  | { readonly type: 'invalid'; readonly faults: readonly string[] }

function jsonOf(text: string): JsonRead {
  try {
    let hidden = false
    const value: unknown = JSON.parse(text, (key, part: unknown) => {
      hidden ||= key === '__proto__'
      return part
    })
    return hidden ? { type: 'invalid', faults: ['no field may be named __proto__'] } : { type: 'value', value }
  } catch (error) {
    // The engine's own message repeats what stands there; this one says where.
    const why = error instanceof RangeError ? 'it is nested too deeply' : `it is no JSON${placeOf(text)}`
    return { type: 'invalid', faults: [why] }
  }
}

function placeOf(text: string): string {
  const [error] = errorsIn(text)
  if (!error) return ''
  const before = text.slice(0, error.offset).split('\n')
  return `: line ${before.length}, column ${before.at(-1)!.length + 1} (${printParseErrorCode(error.error)})`
}

/** None where the text is nested deeper than can be followed. */
function errorsIn(text: string): readonly ParseError[] {
  const errors: ParseError[] = []
  try {
    parse(text, errors, { disallowComments: true })
    return errors
  } catch {
    return []
  }
}

function sentences(issue: z.core.$ZodIssue): readonly string[] {
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => `${pathOf([...issue.path, key])}: there is no such field`)
  }
  const place = pathOf(issue.path)
  const isMissing = 'input' in issue && issue.input === undefined
  if (isMissing) return [`${place}: is missing`]
  if (issue.code === 'invalid_type' && issue.message.startsWith('Invalid')) return [`${place}: must be ${kind(issue)}`]
  return [`${place}: ${issue.message}`]
}

function kind({ expected }: z.core.$ZodIssueInvalidType): string {
  if (expected === 'record') return 'an object'
  return `${/^[aio]/.test(expected) ? 'an' : 'a'} ${expected}`
}

/** `execution[0].args[1].flag` */
function pathOf(path: readonly PropertyKey[]): string {
  if (path.length === 0) return 'the file'
  return path
    .map((step, index) => (typeof step === 'number' ? `[${step}]` : `${index === 0 ? '' : '.'}${String(step)}`))
    .join('')
}

/** Every tool runs something, and one thing alone. */
function pairingFaults({ tools, execution }: ToolsJson): readonly string[] {
  const names = tools.map(({ name }) => name)
  const run = execution.map((entry) => entry.tool)
  return [
    ...names.flatMap((name, at) => (names.indexOf(name) < at ? [`tools[${at}].name: ${name} is declared twice`] : [])),
    ...names.flatMap((name, at) =>
      run.includes(name) ? [] : [`tools[${at}]: ${name} has no entry in execution, so nothing says what it runs`],
    ),
    ...run.flatMap((name, at) => {
      if (!names.includes(name)) return [`execution[${at}].tool: there is no tool ${name}`]
      return run.indexOf(name) < at ? [`execution[${at}].tool: ${name} has an entry already`] : []
    }),
  ]
}
