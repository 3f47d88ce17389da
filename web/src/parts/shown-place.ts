import { createAsked } from './asked.ts'

/** A place in the conversation that somebody wants to see: a turn, or a call of a tool in it. */
export interface ShownPlace {
  readonly turn: string
  readonly toolCallId?: string
}

export const shownPlace = createAsked<ShownPlace>()
