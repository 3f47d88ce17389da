/** What a skill's `tools.json` says: the tools it brings, what they run, and all that they may run (BEHAVIOURS §1.5). */
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

/** A program and its first argument. */
export interface Command {
  /** A bare name, which the `PATH` decides about, or an absolute path. */
  readonly binary: string
  /** One argument, whatever it holds; none at all where empty. */
  readonly subcommand: string
  /** The arguments that the subcommand is, where it is several. */
  readonly words?: readonly string[] | undefined
}

/** What a call of a tool runs. */
export interface Execution extends Command {
  readonly tool: string
  /** In the order in which they are put on the command line. */
  readonly args?: readonly Argument[] | undefined
  /** Put before the positional arguments, which then may start with `-`. Flags are put before it. */
  readonly separator?: '--' | undefined
}

/** Where a parameter goes on the command line. */
export interface Argument {
  readonly param: string
  /** `positional` unless given. */
  readonly kind?: 'positional' | 'flag' | 'flagifboolean' | undefined
  /** Name of a flag; that of the parameter unless given. */
  readonly flag?: string | undefined
  readonly flagIfTrue?: string | undefined
  readonly flagIfFalse?: string | undefined
  /** The two-character sequences `\n` and `\t` of a value become a newline and a tab. */
  readonly normalizeNewlines?: boolean | undefined
  /** A program that is run first, and whose trimmed output stands in the place of the value. */
  readonly resolveCommand?: ResolveCommand | undefined
}

/** A script of the skill, or a program of its allowlist. In `args`, `$param` stands for the value. */
export type ResolveCommand = (
  | { readonly script: string; readonly binary?: undefined; readonly subcommand?: undefined }
  | ({ readonly script?: undefined } & Command)
) & { readonly args?: readonly string[] | undefined }
