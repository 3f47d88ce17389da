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
