import { createAsked } from './asked.ts'

/** A place in the conversation that somebody wants to see: a turn, or a call of a tool in it. */
export interface ShownPlace {
  readonly turn: string
  readonly toolCallId?: string
  /** The one that it is in, where another may be open. */
  readonly session?: string
  /** To be marked there. */
  readonly words?: readonly string[]
  /** The words are those of the answer, which the message may have, too. */
  readonly ofAnswer?: boolean
}

export const shownPlace = createAsked<ShownPlace>()
