import { isAbsolute } from 'node:path'
import { z } from 'zod'

export interface ToolsJson {
  readonly tools: readonly DeclaredTool[]
  readonly allowlist: Allowlist
  /** Exactly one for each tool. */
  readonly execution: readonly Execution[]
}

export interface DeclaredTool {
  readonly name: string
  readonly description?: string | undefined
  /** A JSON Schema of an object. */
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
const word = z
  .string()
  .refine((text) => !text.includes('\0'), 'has a NUL byte, which no program can receive')
  .refine((text) => text.isWellFormed(), 'has half a character (a lone surrogate)')

const named = word.min(1, 'is empty')

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

const resolveCommand = fieldsOnly({
  script: named.optional(),
  binary: binary.optional(),
  subcommand: word.optional(),
  args: z.array(word).optional(),
}).refine(
  (given) =>
    given.script === undefined
      ? given.binary !== undefined && given.subcommand !== undefined
      : given.binary === undefined && given.subcommand === undefined,
  'must have either script, or binary and subcommand',
)

const argument = fieldsOnly({
  param: z.string().min(1, 'is empty'),
  kind: z.enum(['positional', 'flag', 'flagifboolean'], 'must be "positional", "flag" or "flagifboolean"').optional(),
  flag: named.optional(),
  flagIfTrue: word.optional(),
  flagIfFalse: word.optional(),
  normalizeNewlines: z.boolean().optional(),
  resolveCommand: resolveCommand.optional(),
}).refine(({ kind, resolveCommand: resolve }) => kind !== 'flagifboolean' || resolve === undefined, {
  path: ['resolveCommand'],
  error: 'has no place on a flagifboolean, which puts no value on the command line',
})

const execution = fieldsOnly({
  tool: z.string(),
  binary,
  subcommand: word,
  args: z.array(argument).optional(),
  separator: z.literal('--', 'must be "--"').optional(),
})

/** The shape of `tools.json` (BEHAVIOURS §1.5). Unknown fields are faults. It transforms nothing. */
export const toolsJsonSchema = fieldsOnly({
  tools: z.array(tool),
  allowlist: z.record(z.string(), z.array(word)),
  execution: z.array(execution),
})
