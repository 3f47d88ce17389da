import { createAsked } from '../parts/asked.ts'

interface ShownEntry {
  /** Absent: the next call. */
  readonly call: string | undefined
  /** Id of the segment. */
  readonly id: string
}

export const shownEntry = createAsked<ShownEntry>()
