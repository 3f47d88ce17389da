import { type AnyMessage, type Message } from './message.ts'

/** A message and, where it is already known, its cost in tokens by the counter of the assembly. */
export interface TurnMessage {
  readonly message: Message
  /** Counted when absent. */
  readonly tokens?: number
}

/** One user message and everything that answers it. */
export interface Turn {
  /** Unique within one assembly. */
  readonly id: string
  readonly messages: readonly TurnMessage[]
}

/** A conversation as `assemble` accepts it: settled turns, oldest first, and the turn that is being answered. */
interface Conversation {
  readonly history: readonly Turn[]
  readonly current: Turn
}

/**
 * Splits the flat message list of an agent loop into turns: each user message begins one, named `turn-1`, `turn-2`, …
 * Several user messages in a row belong to one turn. Messages before the first user message are a turn of their own.
 * The last turn is the current one. System messages are left out: they are layers.
 */
export function turnsOf(messages: readonly AnyMessage[]): Conversation {
  const groups: Message[][] = []
  let before: Message | undefined
  for (const message of messages) {
    if (message.role === 'system') continue
    const begins = before === undefined || (message.role === 'user' && before.role !== 'user')
    if (begins) groups.push([])
    groups.at(-1)!.push(message)
    before = message
  }
  const turns = groups.map((group, index) => ({
    id: `turn-${index + 1}`,
    messages: group.map((message) => ({ message })),
  }))
  return { history: turns.slice(0, -1), current: turns.at(-1) ?? { id: 'turn-1', messages: [] } }
}
