import { isAbsolute } from 'node:path'
import { z } from 'zod'
import { parse, type ParseError, printParseErrorCode } from 'jsonc-parser'
import { TOOL_FILES, type ToolFile, type ToolFiles } from '../skill.ts'

export interface ToolsJson {
  readonly tools: readonly DeclaredTool[]
  readonly allowlist: Allowlist
  /** Exactly one for each tool. */
  readonly execution: readonly Execution[]
}

export interface DeclaredTool {
  readonly name: string
  readonly description?: string | undefined
  readonly parameters: Readonly<Record<string, unknown>>
}

/** Subcommands by binary. Nothing else may run. A binary that runs without any has the empty one, `""`. */
export type Allowlist = Readonly<Record<string, readonly string[]>>

export interface SkillCommand {
  /** A bare name, which the `PATH` decides about, or an absolute path. */
  readonly binary: string
  /** One argument, whatever characters it has; none if empty. */
  readonly subcommand: string
  /** The arguments of a subcommand that has several words. */
  readonly words?: readonly string[] | undefined
}

export interface Execution extends SkillCommand {
  readonly tool: string
  readonly args?: readonly Argument[] | undefined
  /** Comes before the positional arguments, which then may start with `-`, and after the flags. */
  readonly separator?: '--' | undefined
}

export interface Argument {
  readonly param: string
  /** Default: `positional`. */
  readonly kind?: 'positional' | 'flag' | 'flagifboolean' | undefined
  /** Name of a flag. Default: the name of the parameter. */
  readonly flag?: string | undefined
  readonly flagIfTrue?: string | undefined
  readonly flagIfFalse?: string | undefined
  /** The two-character sequences `\n` and `\t` of a value become a newline and a tab. */
  readonly normalizeNewlines?: boolean | undefined
  /** A program that runs first; its trimmed output replaces the value. */
  readonly resolveCommand?: ResolveCommand | undefined
}

/** A script of the skill, or a program of its allowlist. In `args`, `$param` is replaced by the value. */
export type ResolveCommand = (
  | { readonly script: string; readonly binary?: undefined; readonly subcommand?: undefined }
  | ({ readonly script?: undefined } & SkillCommand)
) & { readonly args?: readonly string[] | undefined }

/** An object with these fields and no others. The fault of another one names them. */
function fieldsOnly<Shape extends z.ZodRawShape>(shape: Shape) {
  const unknown = `unknown field (the fields are ${Object.keys(shape).join(', ')})`
  return z.strictObject(shape, { error: ({ code }) => (code === 'unrecognized_keys' ? unknown : undefined) })
}

/** A word of a command line: a program receives exactly what a person is shown. */
const wordSchema = z
  .string()
  .refine((text) => !text.includes('\0'), 'has a NUL byte, which no program can receive')
  .refine((text) => text.isWellFormed(), 'has half a character (a lone surrogate)')

const named = wordSchema.min(1, 'is empty')

/** No relative path: which file it names would depend on the folder that a tool works in. */
const binary = named.refine(
  (name) => isAbsolute(name) || !/[/\\]/.test(name),
  'must be the bare name of a program or an absolute path',
)

/** Names that every provider accepts. */
const toolName = z
  .string()
  .regex(/^[A-Za-z0-9_-]{1,64}$/, 'must be 1 to 64 letters, digits, "_" and "-"; providers accept no other names')

const parameters = z.looseObject(
  {
    type: z.literal('object', 'must be "object": parameters are a JSON Schema of an object'),
    properties: z.record(z.string(), z.union([z.boolean(), z.looseObject({})], 'must be a JSON Schema')).optional(),
    required: z.array(z.string()).optional(),
  },
  'must be a JSON Schema of an object',
)

const tool = fieldsOnly({ name: toolName, description: z.string().optional(), parameters })

const resolveCommandSchema = fieldsOnly({
  script: named.optional(),
  binary: binary.optional(),
  subcommand: wordSchema.optional(),
  args: z.array(wordSchema).optional(),
}).refine(
  (given) =>
    given.script === undefined
      ? given.binary !== undefined && given.subcommand !== undefined
      : given.binary === undefined && given.subcommand === undefined,
  'must have either script, or binary and subcommand',
)

const argumentSchema = fieldsOnly({
  param: z.string().min(1, 'is empty'),
  kind: z.enum(['positional', 'flag', 'flagifboolean'], 'must be "positional", "flag" or "flagifboolean"').optional(),
  flag: named.optional(),
  flagIfTrue: wordSchema.optional(),
  flagIfFalse: wordSchema.optional(),
  normalizeNewlines: z.boolean().optional(),
  resolveCommand: resolveCommandSchema.optional(),
}).refine(({ kind, resolveCommand: resolve }) => kind !== 'flagifboolean' || resolve === undefined, {
  path: ['resolveCommand'],
  error: 'has no place on a flagifboolean, which puts no value on the command line',
})

const executionSchema = fieldsOnly({
  tool: z.string(),
  binary,
  subcommand: wordSchema,
  args: z.array(argumentSchema).optional(),
  separator: z.literal('--', 'must be "--"').optional(),
})

/** The shape of `tools.json` (BEHAVIOURS §1.5). Unknown fields are faults. It transforms nothing. */
const toolsJsonSchema = fieldsOnly({
  tools: z.array(tool),
  allowlist: z.record(z.string(), z.array(wordSchema)),
  execution: z.array(executionSchema),
})

type ToolsJsonRead =
  | { readonly type: 'tools'; readonly value: ToolsJson; readonly notes: readonly ToolFileFault[] }
  | { readonly type: 'invalid'; readonly faults: readonly ToolFileFault[] }

interface ToolFileFault {
  readonly file: ToolFile
  readonly message: string
}

/** One fault, and no tool is used (BEHAVIOURS §1.1, §1.5). A `tools.json` that is a list needs the other two files. */
export function readToolFiles(files: ToolFiles): ToolsJsonRead {
  const tools = parseJson(files['tools.json'])
  if ('value' in tools && Array.isArray(tools.value)) return readThreeFiles(files, tools.value)
  const read = 'value' in tools ? checkTools(tools.value) : tools
  if ('faults' in read) {
    return { type: 'invalid', faults: read.faults.map((message) => ({ file: 'tools.json', message })) }
  }
  const unread = TOOL_FILES.filter((file) => file !== 'tools.json' && files[file] !== undefined)
  const notes = unread.map((file) => ({ file, message: 'Foreword does not read it, since tools.json has everything' }))
  return { type: 'tools', value: read.value, notes }
}

function readThreeFiles(files: ToolFiles, tools: readonly unknown[]): ToolsJsonRead {
  const parts: Record<string, unknown> = { tools }
  const faults: ToolFileFault[] = []
  for (const file of ['allowlist.json', 'execution.json'] as const) {
    const text = files[file]
    const read = text === undefined ? { faults: [MISSING] } : parseJson(text)
    if ('value' in read) parts[partName(file)] = read.value
    else faults.push(...read.faults.map((message) => ({ file, message })))
  }
  if (faults.length > 0) return { type: 'invalid', faults }
  const read = checkTools(parts)
  if ('value' in read) return { type: 'tools', value: splitSubcommands(read.value), notes: [] }
  return {
    type: 'invalid',
    faults: read.faults.map((message) => ({
      file: TOOL_FILES.find((file) => message.startsWith(partName(file))) ?? 'tools.json',
      message,
    })),
  }
}

const MISSING = 'it is missing: a tools.json that is a list needs allowlist.json and execution.json'

/** In three files a subcommand may have several words; each becomes an argument of its own. */
function splitSubcommands(json: ToolsJson): ToolsJson {
  const split = <One extends SkillCommand>(command: One): One => ({
    ...command,
    words: command.subcommand.split(/\s+/).filter((word) => word !== ''),
  })
  const execution = json.execution.map(({ args = [], ...entry }) => ({
    ...split(entry),
    args: args.map((argument) => {
      const { resolveCommand } = argument
      return resolveCommand?.script === undefined && resolveCommand
        ? { ...argument, resolveCommand: split(resolveCommand) }
        : argument
    }),
  }))
  return { ...json, execution }
}

function partName(file: ToolFile): string {
  return file.replace('.json', '')
}

type Read<Value> = { readonly value: Value } | { readonly faults: readonly string[] }

function checkTools(json: unknown): Read<ToolsJson> {
  const checked = toolsJsonSchema.safeParse(json, { reportInput: true })
  if (!checked.success) return { faults: checked.error.issues.flatMap(issueSentences) }
  // The value as written, not the parsed copy, so that a schema keeps the order of its fields.
  const value = json as ToolsJson
  const faults = pairingFaults(value)
  return faults.length === 0 ? { value } : { faults }
}

function parseJson(written: string): Read<unknown> {
  const text = written.replace(/^\uFEFF/, '')
  try {
    let hidden = false
    const value: unknown = JSON.parse(text, (key, part: unknown) => {
      hidden ||= key === '__proto__'
      return part
    })
    return hidden ? { faults: ['no field may be named __proto__'] } : { value }
  } catch (error) {
    // The engine's own message repeats the text; this one gives the place.
    return { faults: [error instanceof RangeError ? 'it is nested too deeply' : `it is no JSON${errorPosition(text)}`] }
  }
}

/** Empty where the text is nested too deeply to parse. */
function errorPosition(text: string): string {
  const errors: ParseError[] = []
  try {
    parse(text, errors, { disallowComments: true })
  } catch {
    return ''
  }
  const [error] = errors
  if (!error) return ''
  const before = text.slice(0, error.offset).split('\n')
  return `: line ${before.length}, column ${before.at(-1)!.length + 1} (${printParseErrorCode(error.error)})`
}

function issueSentences(issue: z.core.$ZodIssue): readonly string[] {
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => `${fieldPath([...issue.path, key])}: ${issue.message}`)
  }
  const place = fieldPath(issue.path)
  if ('input' in issue && issue.input === undefined) return [`${place}: is missing`]
  if (issue.code === 'invalid_type' && issue.message.startsWith('Invalid')) {
    return [`${place}: must be ${expectedKind(issue)}`]
  }
  return [`${place}: ${issue.message}`]
}

function expectedKind({ expected }: z.core.$ZodIssueInvalidType): string {
  if (expected === 'record') return 'an object'
  return `${/^[aio]/.test(expected) ? 'an' : 'a'} ${expected}`
}

/** `execution[0].args[1].flag` */
function fieldPath(path: readonly PropertyKey[]): string {
  if (path.length === 0) return 'the file'
  return path
    .map((step, index) => (typeof step === 'number' ? `[${step}]` : `${index === 0 ? '' : '.'}${String(step)}`))
    .join('')
}

/** Every tool runs exactly one program. */
function pairingFaults({ tools, execution }: ToolsJson): readonly string[] {
  const names = tools.map(({ name }) => name)
  const run = execution.map((entry) => entry.tool)
  return [
    ...names.flatMap((name, at) => (names.indexOf(name) < at ? [`tools[${at}].name: ${name} is declared twice`] : [])),
    ...names.flatMap((name, at) =>
      run.includes(name) ? [] : [`tools[${at}]: ${name} has no entry in execution, so it runs nothing`],
    ),
    ...run.flatMap((name, at) => {
      if (!names.includes(name))
        return [`execution[${at}].tool: ${name} is not declared (tools declares ${names.join(', ') || 'none'})`]
      return run.indexOf(name) < at ? [`execution[${at}].tool: ${name} has an entry already`] : []
    }),
  ]
}
