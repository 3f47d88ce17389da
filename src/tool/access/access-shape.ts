import { NAME_PATTERN } from './name-pattern.ts'

/** What may stand at one place of `tool-access.json`. */
export type Field =
  | { readonly kind: 'switch'; readonly description: string; readonly default?: boolean }
  | { readonly kind: 'choice'; readonly of: readonly string[]; readonly description: string; readonly default?: string }
  | { readonly kind: 'count'; readonly description: string; readonly default?: number }
  /** A list of texts, none of them blank. */
  | { readonly kind: 'words'; readonly description: string; readonly pattern?: WordPattern }
  | { readonly kind: 'text'; readonly description: string }
  | ObjectField

/** What each word has to look like, and what is told of one that does not. */
export interface WordPattern {
  readonly source: string
  readonly fault: string
}

export interface ObjectField {
  readonly kind: 'object'
  readonly description: string
  readonly fields: Readonly<Record<string, Field>>
  /** What stands under any other name. Absent: there is no other name. */
  readonly others?: Field
  /** What other names have to look like. */
  readonly names?: WordPattern
}

/** The most that `shell` is given, whatever was set or asked for (BEHAVIOURS §2.4). */
export const SHELL_LIMITS = { timeoutMs: 120_000, maxOutputChars: 200_000 } as const

export const SHELL_DEFAULTS = {
  enabled: false,
  mode: 'allowlist',
  approval: 'never',
  allowedPrefixes: [],
  timeoutMs: 15_000,
  maxOutputChars: 20_000,
  allowAnyCwd: false,
} as const

const approval: Field = {
  kind: 'choice',
  of: ['ask', 'never'],
  description: 'Whether a person decides about every call. As the tool itself has it, unless given.',
}

const tool: ObjectField = {
  kind: 'object',
  description: 'One tool, by its name.',
  fields: {
    enabled: { kind: 'switch', default: true, description: 'false: the tool is neither offered nor run.' },
    approval,
    timeoutMs: { kind: 'count', description: 'Time limit of one call, milliseconds.' },
    maxShownChars: {
      kind: 'count',
      description: 'The most of one result that the model is shown, characters. What is longer is kept whole.',
    },
  },
}

const shell: ObjectField = {
  kind: 'object',
  description: 'The tool that runs commands. Off unless it is switched on here.',
  fields: {
    enabled: {
      kind: 'switch',
      default: SHELL_DEFAULTS.enabled,
      description: 'true: commands may run, as `mode` says.',
    },
    mode: {
      kind: 'choice',
      of: ['off', 'allowlist', 'full'],
      default: SHELL_DEFAULTS.mode,
      description:
        '`off`: none. `allowlist`: commands that begin with one of `allowedPrefixes`, without a shell. `full`: any text, with /bin/sh.',
    },
    approval: {
      ...approval,
      default: SHELL_DEFAULTS.approval,
      description: 'Whether a person decides about every command.',
    },
    allowedPrefixes: {
      kind: 'words',
      description: 'Beginnings of commands, in whole words: `git status` allows `git status -s`, and not `git stash`.',
    },
    timeoutMs: {
      kind: 'count',
      default: SHELL_DEFAULTS.timeoutMs,
      description: `Time limit of one command, milliseconds. More than ${SHELL_LIMITS.timeoutMs} counts as ${SHELL_LIMITS.timeoutMs}.`,
    },
    maxOutputChars: {
      kind: 'count',
      default: SHELL_DEFAULTS.maxOutputChars,
      description: `The longest output of one command, characters. More than ${SHELL_LIMITS.maxOutputChars} counts as ${SHELL_LIMITS.maxOutputChars}.`,
    },
    allowAnyCwd: {
      kind: 'switch',
      default: SHELL_DEFAULTS.allowAnyCwd,
      description: 'true: commands may run in folders outside the workspace.',
    },
  },
}

/** `tool-access.json` as a whole (BEHAVIOURS §2.3). What is checked and what is published are made of this. */
export const accessShape: ObjectField = {
  kind: 'object',
  description:
    'Says which tools may run. Read again before every step; while something in it is wrong, nothing may run.',
  fields: {
    $schema: { kind: 'text', description: 'Where this schema is to be found. For editors.' },
    global: {
      kind: 'object',
      description: 'What holds for all tools.',
      fields: {
        enabled: { kind: 'switch', default: true, description: 'false: no tool is offered or run.' },
        mode: {
          kind: 'choice',
          of: ['off', 'allowlist', 'full'],
          default: 'allowlist',
          description:
            '`off`: no tool. `allowlist`: those in `allowedTools`, and those that only read what the session holds. `full`: all that are not disabled.',
        },
        allowedTools: {
          kind: 'words',
          pattern: NAME_PATTERN,
          description: 'Names of tools. One that ends in * stands for all that begin so.',
        },
      },
    },
    tools: {
      kind: 'object',
      description:
        'What holds for single tools, by name. One that ends in * stands for all that begin so; a more exact name goes before it.',
      fields: { shell },
      others: tool,
      names: NAME_PATTERN,
    },
  },
}
