import { type Message, toolCalls } from '../context.ts'
import type { Entry } from '../session.ts'

/** Where a turn stands, read from its entries alone. */
export interface TurnState {
  readonly entries: readonly Entry[]
  /** The input and everything that was said for it, partial messages left out. */
  readonly messages: readonly Message[]
  /** Model calls that led to a message. */
  readonly steps: number
  /** The newest message is an answer: nothing is left to do but to say so. */
  readonly answered: boolean
}

/** Reads the state of a turn from its entries, oldest first. */
export function turnState(entries: readonly Entry[]): TurnState {
  const messages = entries.flatMap((entry) => {
    if (entry.type === 'input') return [entry.message]
    return entry.type === 'message' && !entry.partial ? [entry.message] : []
  })
  const last = messages.at(-1)
  return {
    entries,
    messages,
    steps: messages.filter((message) => message.role === 'assistant').length,
    answered: last?.role === 'assistant' && toolCalls(last).length === 0,
  }
}
