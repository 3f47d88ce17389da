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
  /** How much more the next call costs, US dollars. Below zero where a cut makes it cheaper. */
  readonly money?: number
  /** What the next call leaves out for a note, since a nearly full prompt is cut where its head is composed again. */
  readonly cut?: { readonly turns: number; readonly tokens: number }
}
