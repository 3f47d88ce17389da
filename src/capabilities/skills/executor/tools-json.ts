import { isAbsolute } from 'node:path'
import { z } from 'zod'
import { parse, type ParseError, printParseErrorCode } from 'jsonc-parser'
import { TOOL_FILES, type ToolFile, type ToolFiles } from '../skill.ts'

export interface ToolsJson {
  readonly tools: readonly DeclaredTool[]
  readonly allowlist: Allowlist
  /** At least one for each tool; more than one only where they differ in `paramCondition` or `condition`. */
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

/**
 * A script of the skill, or a program of its allowlist. In `args`, `$param` is replaced by the value, a word `$NAME` by
 * the value of another parameter, and a word `$workingDir` by the folder that the program works in.
 */
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

const commandFields = {
  script: named.optional(),
  binary: binary.optional(),
  subcommand: wordSchema.optional(),
  args: z.array(wordSchema).optional(),
}

const isOneCommand = [
  (given: { script?: unknown; binary?: unknown; subcommand?: unknown }) =>
    given.script === undefined
      ? given.binary !== undefined && given.subcommand !== undefined
      : given.binary === undefined && given.subcommand === undefined,
  'must have either script, or binary and subcommand',
] as const

const resolveCommandSchema = fieldsOnly(commandFields).refine(...isOneCommand) as unknown as z.ZodType<ResolveCommand>

const plainValue = z.union([z.string(), z.number(), z.boolean()], 'must be a string, number, or boolean')

const parameterList = z.array(z.string().min(1, 'is empty'))

export type Argument = z.infer<typeof argumentSchema> & {
  /** Empty for a `literal`, which has no parameter. */
  readonly param: string
}

const ARGUMENT_KINDS = ['positional', 'flag', 'flagifboolean', 'stdin', 'workingdir', 'tempfile', 'literal'] as const

const argumentSchema = fieldsOnly({
  param: z.string().min(1, 'is empty').optional(),
  /** Default: `positional`. A `stdin` is the input of the program, a `workingdir` the folder that it works in. `tempfile` is not supported. */
  kind: z.enum(ARGUMENT_KINDS, `must be one of ${ARGUMENT_KINDS.join(', ')}`).optional(),
  /** Name of a flag. Default: the name of the parameter. */
  flag: named.optional(),
  flagIfTrue: wordSchema.optional(),
  flagIfFalse: wordSchema.optional(),
  /** The two-character sequences `\n` and `\t` of a value become a newline and a tab. */
  normalizeNewlines: z.boolean().optional(),
  /** A program that runs first; its trimmed output replaces the value. */
  resolveCommand: resolveCommandSchema.optional(),
  /** What a `literal` adds. */
  value: wordSchema.optional(),
  /** It may be missing or null; its `resolveCommand` then gets an empty text. */
  optional: z.boolean().optional(),
  /** Used where the parameter is missing or null. */
  absentDefault: plainValue.optional(),
  /** Each word of the value is an argument of its own. */
  split: z.boolean().optional(),
  /** `--` comes before the value where an optional positional before it is missing. */
  disambiguateAfterSkippedPositionals: z.boolean().optional(),
  /** The subcommand in the place of the usual one where a `flagifboolean` is true. */
  subcommandOverride: wordSchema.optional(),
  /** The value is a path of the workspace, which the program reads or writes. */
  readPath: z.boolean().optional(),
  writePath: z.boolean().optional(),
  /** Not supported: no path may lead out of the workspace. */
  unsafePath: z.boolean().optional(),
  /** A regular expression that the value must not match. */
  denyPattern: z.string().optional(),
  /** A program whose output is compared in the place of a value that is missing or empty, or (`denyAlwaysResolve`) of any value. */
  denyResolveCommand: resolveCommandSchema.optional(),
  denyAlwaysResolve: z.boolean().optional(),
})
  .refine(({ kind, resolveCommand: resolve }) => kind !== 'flagifboolean' || resolve === undefined, {
    path: ['resolveCommand'],
    error: 'has no place on a flagifboolean, which puts no value on the command line',
  })
  .refine(({ kind, param }) => param !== undefined || kind === 'literal', { path: ['param'], error: 'is missing' })
  .refine(({ kind, value }) => value !== undefined || kind !== 'literal', { path: ['value'], error: 'is missing' })

/** A line that is added to the output of a call where all of its conditions hold. */
export type HintCondition = z.infer<typeof hintSchema>

const hintSchema = fieldsOnly({
  /** A text that the output contains. */
  match: z.string().optional(),
  exitCode: z.union([z.int(), z.literal('nonzero')], 'must be a whole number or "nonzero"').optional(),
  notEmpty: z.boolean().optional(),
  /** Values of parameters. */
  whenArg: z.record(z.string(), plainValue).optional(),
  /** In it, `{NAME}` is replaced by the value of a parameter. */
  hint: z.string(),
}).refine((given) => Object.keys(given).length > 1, 'must have a condition: match, exitCode, notEmpty or whenArg')

export type Execution = Omit<z.infer<typeof executionSchema>, 'args' | 'postProcess'> &
  SkillCommand & {
    readonly args?: readonly Argument[] | undefined
    /** A program that is given the output of a call that succeeded, and whose output takes its place. */
    readonly postProcess?: (ResolveCommand & { readonly emptyIsResult?: boolean | undefined }) | undefined
  }

const executionSchema = fieldsOnly({
  tool: z.string(),
  binary,
  subcommand: wordSchema,
  args: z.array(argumentSchema).optional(),
  /** Comes before the positional arguments, which then may start with `-`, and after the flags. */
  separator: z.literal('--', 'must be "--"').optional(),
  /** The entry is for calls that give all of the first and none of the others. An entry without it is for all other calls. */
  paramCondition: fieldsOnly({ present: parameterList.optional(), absent: parameterList.optional() }).optional(),
  /** Of several entries for the same calls, the first whose programs are here is used. */
  condition: fieldsOnly({ binGroup: z.int().min(0) }).optional(),
  /** Exit codes that are no failure, beside 0. */
  successExitCodes: z.array(z.int()).optional(),
  postProcess: fieldsOnly({ ...commandFields, emptyIsResult: z.boolean().optional() })
    .refine(...isOneCommand)
    .optional(),
  hintConditions: z.array(hintSchema).optional(),
  /** The most lines of the output that are kept, hints apart. */
  maxOutputLines: z.int().min(1, 'must be 1 or more').optional(),
  /** What is said of a cut; `{kept}`, `{total}`, `{omitted}` and `{next_start}` are numbers of lines. */
  truncationHint: z.string().optional(),
  /** Not supported: an entry with the first is not used, and the second adds nothing to the output. */
  binaryWrapper: z.unknown().optional(),
  sideRead: z.unknown().optional(),
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
    words: subcommandWords(command.subcommand),
  })
  const splitIn = <One extends object>(one: One, key: string): One => {
    const command = (one as Readonly<Record<string, ResolveCommand | undefined>>)[key]
    return command === undefined || command.script !== undefined ? one : { ...one, [key]: split(command) }
  }
  const execution = json.execution.map(({ args = [], ...entry }) => ({
    ...splitIn(split(entry), 'postProcess'),
    args: args.map((argument) => splitIn(splitIn(argument, 'resolveCommand'), 'denyResolveCommand')),
  }))
  return { ...json, execution }
}

export function subcommandWords(subcommand: string): readonly string[] {
  return subcommand.split(/\s+/).filter((word) => word !== '')
}

function partName(file: ToolFile): string {
  return file.replace('.json', '')
}

type Read<Value> = { readonly value: Value } | { readonly faults: readonly string[] }

function checkTools(json: unknown): Read<ToolsJson> {
  const checked = toolsJsonSchema.safeParse(json, { reportInput: true })
  if (!checked.success) return { faults: checked.error.issues.flatMap(issueSentences) }
  // The value as written, not the parsed copy, so that a schema keeps the order of its fields.
  const written = json as ToolsJson
  const withParam = (argument: Argument) => (argument.kind === 'literal' ? { ...argument, param: '' } : argument)
  const execution = written.execution.map((entry) =>
    entry.args ? { ...entry, args: entry.args.map(withParam) } : entry,
  )
  const value = { ...written, execution }
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

export function entryCalls({ paramCondition = {}, condition }: Execution): string {
  const { present = [], absent = [] } = paramCondition
  return JSON.stringify([present.toSorted(), absent.toSorted(), condition?.binGroup])
}

/** Every tool runs one program for each kind of call. */
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
      const [one, other] = [run.indexOf(name), at].map((each) => entryCalls(execution[each]!))
      return run.indexOf(name) < at && one === other ? [`execution[${at}].tool: ${name} has an entry already`] : []
    }),
  ]
}
