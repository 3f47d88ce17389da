import { z } from 'zod'
import { nearestName } from '../../platform.ts'
import { PRESET_NAMES } from './presets.ts'

/** The policy of `tool-access.json` and the environment, with every default filled in (BEHAVIOURS §2.3, §2.4). */
export interface Access {
  readonly global: GlobalAccess
  /** Settings by the name of a tool or by a pattern that ends in `*`; `shell` itself has its own key. */
  readonly tools: Readonly<Record<string, ToolAccess>>
  readonly shell: ShellAccess
  readonly sandbox: SandboxAccess
}

/** How programs are confined, with every default filled in. */
export type SandboxAccess = Settings<typeof sandboxShape>

type GlobalAccess = Settings<typeof globalShape>

/** Absent settings keep the tool's own values, unless another pattern that matches the tool sets them. */
export type ToolAccess = Settings<typeof toolShape>

/** The rules of `shell`, with every default filled in. */
export interface ShellAccess extends Required<Omit<Settings<typeof shellShape>, 'afterUntrusted'>> {
  /** Absent: patterns of names decide, and then what a command does. */
  readonly afterUntrusted?: AfterUntrusted
  /** The setting that decided, where it is that of a pattern and not `tools.shell.approval`. */
  readonly approvalRule?: string
  /** The variable that is its entry in the allowlist, where `SHELL_TOOL_ENABLED` switches it on (BEHAVIOURS §2.3). */
  readonly entry?: string
}

/** What happens to a call that was asked for after the model had read texts of others. */
export type AfterUntrusted = 'ask' | 'refuse' | 'allow'

/** What becomes of a call because of what was read before it. */
export type UntrustedAnswer =
  | { readonly type: 'allow' }
  /**
   * `byTool`: the policy says nothing, so a plan that changes nothing, or the workspace alone, needs no question. `grant`: what a
   * person may grant to the tool for the session (`policyDigest`).
   */
  | { readonly type: 'ask'; readonly rule: string; readonly byTool: boolean; readonly grant: string }
  | { readonly type: 'refuse'; readonly rule: string }

type Settings<Schema extends z.ZodType<object>> = {
  readonly [Key in keyof z.output<Schema>]: z.output<Schema>[Key] extends (infer Item)[]
    ? readonly Item[]
    : z.output<Schema>[Key]
}

/** A policy, or why there is none: then nothing may run. */
export type AccessRead =
  | { readonly type: 'access'; readonly access: Access }
  | { readonly type: 'faulty'; readonly problems: readonly string[] }

/** How names of tools are written everywhere: a name matches itself, one that ends in `*` all that begin with it. */
export const NAME_PATTERN = { source: '^[^*]*\\*?$', fault: 'may contain * only at its end' } as const

/** Whether a name or pattern matches a tool name, or all names that a pattern in its place matches. */
export function matchesToolName(written: string, name: string): boolean {
  return written.endsWith('*') ? name.startsWith(written.slice(0, -1)) : name === written
}

/** Whether a list of names and patterns matches a tool name. */
export function isListed(list: readonly string[], name: string): boolean {
  return list.some((written) => matchesToolName(written, name))
}

/** The value of one setting of a tool under `tools`, and the key that set it. */
interface ToolSetting<Value> {
  readonly value: Value
  /** Such as `tools.read_*.enabled`. */
  readonly rule: string
}

/** A setting of a tool: the most exact name or pattern that sets it counts, so `read_file` can be an exception from `read_*`. */
export function toolSetting<Key extends keyof ToolAccess>(
  tools: Readonly<Record<string, ToolAccess>>,
  name: string,
  key: Key,
): ToolSetting<NonNullable<ToolAccess[Key]>> | undefined {
  // The most exact first: the name itself, then patterns, the longest first.
  const matching = Object.keys(tools)
    .filter((each) => matchesToolName(each, name))
    .toSorted((left, right) => Number(right === name) - Number(left === name) || right.length - left.length)
  for (const written of matching) {
    const value = tools[written]?.[key]
    if (value !== undefined) return { value, rule: `tools.${written}.${key}` }
  }
  return undefined
}

/** The JSON Schema (2020-12) of `tool-access.json`, as it is committed in `schema/tool-access.schema.json`. */
export function accessSchema(): Readonly<Record<string, unknown>> {
  const { $schema, ...schema } = z.toJSONSchema(accessShape, {
    io: 'input',
    override({ jsonSchema }) {
      // Keys that begin with `_` are comments and are removed before validation.
      if (jsonSchema.type === 'object') jsonSchema.patternProperties = { '^_': {} }
    },
  })
  return { $schema, title: 'tool-access.json of Foreword', ...schema }
}

/** The most that `shell` is given, whatever was set or asked for (BEHAVIOURS §2.4). */
export const SHELL_LIMITS = { timeoutMs: 120_000, maxOutputChars: 200_000 } as const

const flag = z.boolean('must be true or false')
const count = z.int('must be a whole number above 0').min(1, 'must be a whole number above 0')
/** A blank pattern would match everything. */
const word = z.string('must be a string').regex(/\S/, 'must not be blank')
const namePattern = new RegExp(NAME_PATTERN.source)
const mode = choice('off', 'allowlist', 'full')
const approval = choice('ask', 'never')
const presetName = z.enum(PRESET_NAMES, {
  error: ({ input }) => {
    const near = typeof input === 'string' ? nearestName(input, PRESET_NAMES) : undefined
    return `is not a preset${near === undefined ? '' : `; did you mean ${near}?`} (presets: ${PRESET_NAMES.join(', ')})`
  },
})
const afterUntrusted = choice('ask', 'refuse', 'allow').exactOptional()

function choice<const Choice extends readonly [string, ...string[]]>(...choices: Choice) {
  return z.enum(choices, `must be one of ${choices.join(', ')}`)
}

/** Rejects unknown keys; the message about one follows its name. */
function object<Shape extends z.core.$ZodLooseShape>(shape: Shape, otherwise = 'must be an object') {
  const known = `is not a known key (known keys: ${Object.keys(shape).join(', ')})`
  return z.strictObject(shape, {
    error: ({ code }) => (code === 'unrecognized_keys' ? known : otherwise),
  })
}

const toolShape = object({
  enabled: flag
    .exactOptional()
    .meta({ description: 'If false, the tool is not offered to the model and cannot run.', default: true }),
  approval: approval
    .exactOptional()
    .describe('Whether a person must approve every call. By default, the tool decides.'),
  afterUntrusted: afterUntrusted.describe(
    'What happens to a call that the model asks for after it has read texts that neither you nor the operator wrote: `ask` a person, `refuse` it, or `allow` it. For a tool that opens addresses, this applies to addresses that nobody named. By default, `global.afterUntrusted`, and without it `ask` for tools that change something, and `allow` for tools that only read or change files of the workspace alone.',
  ),
  timeoutMs: count.exactOptional().describe('Time limit for one call, in milliseconds.'),
  maxShownChars: count
    .exactOptional()
    .describe('How many characters of one result the model is shown. The complete result is always stored.'),
}).describe('Settings for one tool.')

export const shellShape = object({
  enabled: flag.default(false).describe('If true, commands may run as far as `mode` allows.'),
  mode: mode
    .default('allowlist')
    .describe(
      '`off`: no command may run. `allowlist`: only commands that one of `presets` allows or that begin with one of `allowedPrefixes`, without a shell. `full`: any command, run by /bin/sh.',
    ),
  approval: approval
    .exactOptional()
    .meta({ description: 'Whether a person must approve every command.', default: 'never' }),
  afterUntrusted: afterUntrusted.describe(
    'What happens to a command that the model asks for after it has read texts that neither you nor the operator wrote: `ask` a person, `refuse` it, or `allow` it. By default, `global.afterUntrusted`, and without it `ask`, except for commands that are known to change nothing or that the sandbox keeps in the workspace and from the network.',
  ),
  presets: z
    .array(presetName, 'must be a list')
    .default([])
    .describe(
      'Packaged commands with the arguments that they may have. Paths among these must lie in the workspace. `foreword tools presets` explains each.',
    ),
  allowedPrefixes: z
    .array(word, 'must be a list')
    .default([])
    .describe(
      'Prefixes of commands, compared word by word: `git status` allows `git status -s` but not `git stash`. Any argument may follow.',
    ),
  timeoutMs: count
    .default(15_000)
    .describe(
      `Time limit for one command, in milliseconds. The maximum is ${SHELL_LIMITS.timeoutMs}; larger values are reduced to it.`,
    ),
  maxOutputChars: count
    .default(20_000)
    .describe(
      `Limit for the output of one command, in characters. The maximum is ${SHELL_LIMITS.maxOutputChars}; larger values are reduced to it.`,
    ),
  allowAnyCwd: flag.default(false).describe('If true, commands may run in folders outside the workspace.'),
}).describe('Settings for the tool that runs commands. It is disabled by default.')

/** Absolute, or below the home of the person. */
const place = z.string('must be a string').regex(/^(?:\/|~\/)./, 'must be an absolute path, or begin with ~/')

export const sandboxShape = object({
  enabled: flag
    .default(true)
    .describe('If false, programs run without a sandbox: they can read and change what you can.'),
  withoutIt: choice('ask', 'run', 'refuse')
    .default('ask')
    .describe(
      'What happens where no sandbox can be made. `ask`: a person must approve every run. `run`: programs run without it. `refuse`: no program runs.',
    ),
  network: z
    .array(word, 'must be a list')
    .default([])
    .describe(
      'Prefixes of commands that may use the network, compared word by word. A person must approve each run of them.',
    ),
  readable: z
    .array(place, 'must be a list')
    .default([])
    .describe('Folders and files in hidden places, such as your home, that programs may read.'),
  writable: z
    .array(place, 'must be a list')
    .default([])
    .describe('Folders beside the workspace that programs may write.'),
  memoryMiB: count.default(4096).describe('The most memory that one process may fill with data, in MiB.'),
}).describe('Settings for the sandbox in which programs run.')

export const globalShape = object({
  enabled: flag.default(true).describe('If false, no tool is offered to the model and none can run.'),
  mode: mode
    .default('allowlist')
    .describe(
      '`off`: no tool may run. `allowlist`: only the tools in `allowedTools` and those that only read what the session already contains. `full`: every tool that is not disabled.',
    ),
  allowedTools: z
    .array(word.regex(namePattern, NAME_PATTERN.fault), 'must be a list')
    .default([])
    .describe('Names of tools. A name that ends in * matches every tool whose name begins with the part before it.'),
  // `deny` is another word for `refuse` (BEHAVIOURS §2.3).
  afterUntrusted: choice('ask', 'allow', 'deny', 'refuse')
    .transform((value) => (value === 'deny' ? 'refuse' : value))
    .exactOptional()
    .describe(
      'What happens to calls that the model asks for after it has read texts that neither you nor the operator wrote: `ask` a person, refuse them (`deny`), or `allow` them. The value of a tool goes first. Without either, a call that changes nothing, or that is confined to the workspace without network, is allowed, and others ask.',
    ),
}).describe('Settings for all tools.')

/** `tool-access.json` as a whole (BEHAVIOURS §2.3). What is checked and what is published are made of this. */
export const accessShape = object(
  {
    $schema: z.string('must be a string').optional().describe('The address of this schema, for editors.'),
    global: globalShape.optional(),
    sandbox: sandboxShape.optional(),
    tools: object({ shell: shellShape.optional() })
      .catchall(toolShape)
      .superRefine(
        (tools, { addIssue }) => {
          for (const name of Object.keys(tools).filter((each) => !namePattern.test(each))) {
            addIssue({ code: 'custom', message: NAME_PATTERN.fault, path: [name] })
          }
        },
        // Runs even if other checks have failed.
        { when: ({ value }) => typeof value === 'object' && value !== null },
      )
      .meta({
        description:
          'Settings for individual tools, by name. A name that ends in * matches every tool whose name begins with the part before it. A more exact name takes precedence.',
        propertyNames: { pattern: `^_|${NAME_PATTERN.source}` },
      })
      .optional(),
  },
  'must contain an object',
).describe(
  'Defines which tools may run. The file is read again before every step. While it contains an error, no tool may run.',
)
