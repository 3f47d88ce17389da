import type { z } from 'zod'
import type { globalShape, shellShape, toolShape } from './access-schema.ts'

/** What `tool-access.json` and the environment say, with every default in its place (BEHAVIOURS §2.3, §2.4). */
export interface Access {
  readonly global: GlobalAccess
  /** What was said of tools, by name or by a pattern that ends in `*`; `shell` by its own name is not among them. */
  readonly tools: Readonly<Record<string, ToolAccess>>
  readonly shell: ShellAccess
}

export type GlobalAccess = Settings<typeof globalShape>

export type AccessMode = GlobalAccess['mode']

/** Absent settings are as the tool itself has them, unless another name that stands for the tool says otherwise. */
export type ToolAccess = Settings<typeof toolShape>

export interface ShellAccess extends Required<Settings<typeof shellShape>> {
  /** The setting that says so, where it is that of a pattern and not `tools.shell.approval`. */
  readonly approvalRule?: string
}

/** What a schema gives, for reading. */
type Settings<Schema extends z.ZodType<object>> = {
  readonly [Key in keyof z.output<Schema>]: z.output<Schema>[Key] extends (infer Item)[]
    ? readonly Item[]
    : z.output<Schema>[Key]
}

/** A policy, or why there is none: then nothing may run. */
export type AccessRead =
  | { readonly type: 'access'; readonly access: Access }
  | { readonly type: 'faulty'; readonly problems: readonly string[] }

/**
 * How names of tools are written wherever somebody names some: in `allowedTools`, under `tools`, in the tools of a custom
 * agent, and in `foreword tools allow` and `deny`. A name stands for itself; one that ends in `*` for all that begin so.
 */
export const NAME_PATTERN = { source: '^[^*]*\\*?$', fault: 'may have a * only at its end' } as const

/**
 * Whether what is written stands for a name. A pattern in the place of the name asks whether it stands for all that the
 * pattern stands for.
 */
export function standsFor(written: string, name: string): boolean {
  return written.endsWith('*') ? name.startsWith(written.slice(0, -1)) : name === written
}

/** Whether a list of names and patterns holds this one. */
export function isListed(list: readonly string[], name: string): boolean {
  return list.some((written) => standsFor(written, name))
}

/** Those that stand for a name, the most exact first: the name itself, then patterns, the longest first. */
function mostExactFirst(written: readonly string[], name: string): readonly string[] {
  return written
    .filter((each) => standsFor(each, name))
    .toSorted((left, right) => Number(right === name) - Number(left === name) || right.length - left.length)
}

/** What `tools` says of one setting of a tool, and where. */
interface ToolSetting<Value> {
  readonly value: Value
  /** Such as `tools.read_*.enabled`. */
  readonly rule: string
}

/**
 * What was written of a tool, by its name or by a pattern: for each setting the most exact name that says something of it
 * counts, so that `read_file` can be an exception from `read_*`. `undefined` where nothing was said.
 */
export function toolSetting<Key extends keyof ToolAccess>(
  tools: Readonly<Record<string, ToolAccess>>,
  name: string,
  key: Key,
): ToolSetting<NonNullable<ToolAccess[Key]>> | undefined {
  for (const written of mostExactFirst(Object.keys(tools), name)) {
    const value = tools[written]?.[key]
    if (value !== undefined) return { value, rule: `tools.${written}.${key}` }
  }
  return undefined
}
