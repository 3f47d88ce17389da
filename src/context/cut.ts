import type { NoteMark } from './conversation-note.ts'

/** Where the last cut was made. Everything before a mark stays as the cut left it until the next cut. */
export interface Cut {
  /** Everything before this turn is left out. Where single messages are cut: `TURN/INDEX` or `TURN/FILE`. */
  readonly dropBefore?: string
  /** Tool results before this turn, or before this message of one (`TURN/INDEX`), are cleared. */
  readonly clearBefore?: string
  /** Tool results before this turn or message are excerpts, unless they are cleared. */
  readonly excerptBefore?: string
  /** Turns at the beginning that stay as they were said, oldest first. */
  readonly first?: readonly string[]
  /** Notes on what is left out between those and the rest, in their order. */
  readonly notes?: readonly NoteMark[]
}
