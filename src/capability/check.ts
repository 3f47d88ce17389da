import type { LintFinding } from '../context.ts'
import type { Clock } from '../platform.ts'
import type { EmbedderKind } from '../search.ts'
import type { LintReport } from './lint-report.ts'

/** What `foreword doctor` looks at for a capability. Reads only; loads its code when it is called. */
export type Check<Settings = undefined> = (context: CheckContext<Settings>) => Promise<readonly Finding[]>

export interface CheckContext<Settings = undefined> {
  readonly settings: Settings
  /** Absolute paths. */
  readonly home: string
  readonly workspace: string
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly clock: Clock
  /** Settings of another capability; `undefined` where it is not in the list. */
  settingsOf(name: string): unknown
  readonly embedders: readonly EmbedderKind[]
  /**
   * GET over the HTTP API of the gateway of the home, or of one that only reads; `undefined` where there is none. Rejects
   * with a `ForewordError` where it refuses.
   */
  get<Answer>(path: string): Promise<Answer | undefined>
}

/** What a capability adds to the lint: texts that it puts into prompts and that nobody reads. */
export interface LintPart<Settings = undefined> {
  /** Names of the tools whose use decides. */
  readonly tools: readonly string[]
  /** Reads only; loads its code when it is called. */
  readonly findings: (context: LintContext<Settings>) => Promise<readonly LintFinding[]>
}

export interface LintContext<Settings = undefined> extends CheckContext<Settings> {
  readonly report: LintReport
}

/** One thing that was looked at. */
export interface Finding {
  readonly check: string
  readonly level: 'ok' | 'warning' | 'problem'
  readonly message: string
  /** For programs, such as `storage-damaged`. */
  readonly code?: string
  /** What to do about it. Absent only if the finding is `ok`. */
  readonly hint?: string
}
