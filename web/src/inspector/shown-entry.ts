import { createAsked } from '../parts/asked.ts'

/** A piece of the bar that somebody wants to see. */
interface ShownEntry {
  /** Absent: the next call. */
  readonly call: string | undefined
  /** Id of the segment. */
  readonly id: string
}

export const shownEntry = createAsked<ShownEntry>()
