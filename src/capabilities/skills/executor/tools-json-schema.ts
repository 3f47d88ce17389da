import { isAbsolute } from 'node:path'
import { z } from 'zod'

/** A word of a command line: what is shown of it is what a program is given. */
const word = z
  .string()
  .refine((text) => !text.includes('\0'), 'holds a NUL byte, which no program can be given')
  .refine((text) => text.isWellFormed(), 'holds half a character (a lone surrogate)')

const named = word.min(1, 'is empty')

/** Which file a relative path means would depend on the folder that a tool works in. */
const binary = named.refine(
  (name) => isAbsolute(name) || !/[/\\]/.test(name),
  'must be the bare name of a program or an absolute path',
)

/** What the doors of all models take. */
const toolName = z
  .string()
  .regex(/^[A-Za-z0-9_-]{1,64}$/, 'must be 1 to 64 letters, digits, "_" and "-"; models take no other names')

const parameters = z.looseObject(
  {
    type: z.literal('object', 'must be "object": parameters are a JSON Schema of an object'),
    properties: z.record(z.string(), z.union([z.boolean(), z.looseObject({})], 'must be a JSON Schema')).optional(),
    required: z.array(z.string()).optional(),
  },
  'must be a JSON Schema of an object',
)

const tool = z.strictObject({ name: toolName, description: z.string().optional(), parameters })

const resolveCommand = z
  .strictObject({
    script: named.optional(),
    binary: binary.optional(),
    subcommand: word.optional(),
    args: z.array(word).optional(),
  })
  .refine(
    (given) =>
      given.script === undefined
        ? given.binary !== undefined && given.subcommand !== undefined
        : given.binary === undefined && given.subcommand === undefined,
    'must have either script, or binary and subcommand',
  )

const argument = z
  .strictObject({
    param: z.string().min(1, 'is empty'),
    kind: z.enum(['positional', 'flag', 'flagifboolean'], 'must be "positional", "flag" or "flagifboolean"').optional(),
    flag: named.optional(),
    flagIfTrue: word.optional(),
    flagIfFalse: word.optional(),
    normalizeNewlines: z.boolean().optional(),
    resolveCommand: resolveCommand.optional(),
  })
  .refine(({ kind, resolveCommand: resolve }) => kind !== 'flagifboolean' || resolve === undefined, {
    path: ['resolveCommand'],
    error: 'has no place on a flagifboolean, which puts no value on the command line',
  })

const execution = z.strictObject({
  tool: z.string(),
  binary,
  subcommand: word,
  args: z.array(argument).optional(),
  separator: z.literal('--', 'must be "--"').optional(),
})

/** The shape of `tools.json` (BEHAVIOURS §1.5). Unknown fields are faults. It changes nothing of what it checks. */
export const toolsJsonSchema = z.strictObject({
  tools: z.array(tool),
  allowlist: z.record(z.string(), z.array(word)),
  execution: z.array(execution),
})
