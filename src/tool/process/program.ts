/** A program to run. No shell stands between: what is here is what the system is given. */
export interface Program {
  /** Program and arguments; at least one entry. Of a bare name the `PATH` of `environment` decides. */
  readonly argv: readonly string[]
  /** Absolute. */
  readonly folder: string
  /** All of its environment. `cleanEnvironment` makes one. */
  readonly environment: Readonly<Record<string, string>>
  /** Given to its standard input, which is then closed. Closed at once where absent. */
  readonly input?: string
}

export interface ProgramLimits {
  readonly timeoutMs: number
  /** Of each of the two outputs, characters that are kept, counted as JavaScript does (UTF-16). */
  readonly maxOutputChars: number
  /** Processes that it may have at one time. 256 unless given. */
  readonly maxProcesses?: number
  readonly signal?: AbortSignal
}

/** What became of a program. Whatever that was: when this is known, no process of it is left. */
export interface ProgramEnd {
  readonly end:
    | { readonly type: 'exit'; readonly code: number }
    | { readonly type: 'signal'; readonly signal: string }
    /** It could not be started. */
    | { readonly type: 'not-started'; readonly why: string }
    | { readonly type: 'timeout' }
    | { readonly type: 'cancelled' }
    | { readonly type: 'too-many-processes'; readonly limit: number }
  readonly stdout: ProgramOutput
  readonly stderr: ProgramOutput
  readonly durationMs: number
}

/** One output of a program. */
export interface ProgramOutput {
  /** As much as was kept, cut at a whole character; of binary output a line that names it, and nothing of it. */
  readonly text: string
  /** Everything it wrote. */
  readonly bytes: number
  readonly characters: number
  readonly truncated: boolean
  readonly binary: boolean
}
