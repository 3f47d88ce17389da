import { createAsked } from './asked.ts'

/** A place in the conversation that somebody wants to see: the id of a turn, or of a call of a tool. */
export const shownPlace = createAsked<string>()
