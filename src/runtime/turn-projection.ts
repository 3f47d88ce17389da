import { type Message, messageTokens, type TokenCounter, leastTokens, type Turn, type TurnMessage } from '../context.ts'
import type { EntryBody, TokenCounts } from '../session.ts'

/** Why an answer is not whole. */
type BrokenOff = 'cancelled' | 'failed'

/** How a counter is named where counts are stored. */
export function counterKey({ id, version }: TokenCounter): string {
  return `${id}@${version}`
}

/** What a message costs in a history: as it stands there, its label included. */
export function tokenCounts(counter: TokenCounter, message: Message, partial?: BrokenOff): TokenCounts {
  const shown = labelled(message, partial)
  const full = messageTokens(counter, shown)
  return { counter: counterKey(counter), full, least: leastTokens(shown, full, counter) }
}

/** The messages of a turn as an assembly takes them. Counts by another counter are left out, so that they are made anew. */
export function projectTurn(
  id: string,
  entries: readonly EntryBody[],
  { counter, keepsPartial }: { readonly counter: TokenCounter; readonly keepsPartial: boolean },
): Turn {
  const key = counterKey(counter)
  return {
    id,
    messages: entries.flatMap((entry): readonly TurnMessage[] => {
      if (entry.type !== 'input' && entry.type !== 'message') return []
      const partial = entry.type === 'message' ? entry.partial : undefined
      if (partial && !keepsPartial) return []
      const message = labelled(entry.message, partial)
      return [entry.tokens.counter === key ? { message, tokens: entry.tokens.full } : { message }]
    }),
  }
}

const labels: Readonly<Record<BrokenOff, string>> = {
  cancelled: '[This answer was stopped here by the person.]',
  failed: '[This answer broke off here: the model call failed.]',
}

/** A partial answer stays in the history and says that it is one. */
function labelled(message: Message, partial: BrokenOff | undefined): Message {
  if (!partial || message.role !== 'assistant' || typeof message.content !== 'string') return message
  return { ...message, content: `${message.content}\n${labels[partial]}` }
}
