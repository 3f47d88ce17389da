/** What `tool-access.json` and the environment say, with every default in its place (BEHAVIOURS §2.3, §2.4). */
export interface Access {
  readonly global: GlobalAccess
  /** What was said of tools, by name or by a pattern that ends in `*`; `shell` by its own name is not among them. */
  readonly tools: Readonly<Record<string, ToolAccess>>
  readonly shell: ShellAccess
}

export interface GlobalAccess {
  readonly enabled: boolean
  readonly mode: AccessMode
  /** Names; one that ends in `*` stands for all that begin so. */
  readonly allowedTools: readonly string[]
}

export type AccessMode = 'off' | 'allowlist' | 'full'

export interface ToolAccess {
  /** Absent: it is, unless another name that stands for the tool says otherwise. */
  readonly enabled?: boolean
  /** Absent: as the tool itself has it. */
  readonly approval?: 'ask' | 'never'
  readonly timeoutMs?: number
  /** The most of one result that the model is shown, characters. */
  readonly maxShownChars?: number
}

export interface ShellAccess {
  readonly enabled: boolean
  readonly mode: AccessMode
  readonly approval: 'ask' | 'never'
  /** The setting that says so, where it is that of a pattern and not `tools.shell.approval`. */
  readonly approvalRule?: string
  /** Sequences of whole words. */
  readonly allowedPrefixes: readonly string[]
  readonly timeoutMs: number
  readonly maxOutputChars: number
  readonly allowAnyCwd: boolean
}

/** A policy, or why there is none: then nothing may run. */
export type AccessRead =
  | { readonly type: 'access'; readonly access: Access }
  | { readonly type: 'faulty'; readonly problems: readonly string[] }
