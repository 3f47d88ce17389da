import type { EmbedderKind } from '../search.ts'

/** What `foreword doctor` looks at for a capability. Reads only; loads its code when it is called. */
export type Check<Settings = undefined> = (context: CheckContext<Settings>) => Promise<readonly Finding[]>

export interface CheckContext<Settings = undefined> {
  readonly settings: Settings
  /** Absolute paths. */
  readonly home: string
  readonly workspace: string
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Settings of another capability; `undefined` where it is not in the list. */
  settingsOf(name: string): unknown
  /** Kinds of embedding models of all capabilities. */
  readonly embedders: readonly EmbedderKind[]
  /**
   * GET over the HTTP API of the gateway of the home, or of one that only reads; `undefined` where there is none. Rejects
   * with a `ForewordError` where it refuses.
   */
  get<Answer>(path: string): Promise<Answer | undefined>
}

/** One thing that was looked at. */
export interface Finding {
  readonly check: string
  readonly level: 'ok' | 'warning' | 'problem'
  readonly message: string
  /** What to do about it. Present unless it is `ok`. */
  readonly hint?: string
}
