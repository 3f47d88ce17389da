/** How everything is read again. */
export interface ReloadOptions {
  /** Heads are composed again at the next call, and not only where a prompt cache loses nothing by it. */
  readonly now?: boolean
  /** Only of this session. All that were active in the last day where absent. */
  readonly session?: string
}

/** What reading again found. */
export interface ReloadResult {
  readonly warnings: readonly string[]
  /** Sessions whose head is composed again, with `now`. */
  readonly folded?: readonly FoldedSession[]
}

/** A session whose head is composed again at its next call, and what that costs as far as it is known. */
export interface FoldedSession {
  readonly session: string
  /** Tokens that the provider's cache had, and that are sent again. */
  readonly tokens?: number
  /** US dollars. */
  readonly money?: number
}
