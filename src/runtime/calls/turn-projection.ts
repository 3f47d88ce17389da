import {
  type Message,
  messageText,
  messageTokens,
  type TokenCounter,
  leastTokens,
  type Turn,
  type TurnMessage,
} from '../../context.ts'
import type { EntryBody, PartialReason, TokenCounts } from '../../session.ts'
import { counterKey } from '../models/counters.ts'

/** What a message costs in a history, its label included. */
export function tokenCounts(counter: TokenCounter, message: Message, partial?: PartialReason): TokenCounts {
  const shown = addLabel(message, partial)
  const full = messageTokens(counter, shown)
  return { counter: counterKey(counter), full, least: leastTokens(shown, full, counter) }
}

/** The messages of a turn as input of an assembly. Counts by another counter are left out, so that they are made again. */
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
      if (partial && !keepsPartial && BROKEN_OFF.has(partial)) return []
      const message = addLabel(entry.message, partial)
      return [entry.tokens.counter === key ? { message, tokens: entry.tokens.full } : { message }]
    }),
  }
}

/** Nobody ended these answers: a layout that keeps no partial ones leaves them out. The others were answers, as far as they went. */
const BROKEN_OFF: ReadonlySet<PartialReason> = new Set(['cancelled', 'interrupted'])

/** What the model reads behind an answer that is not whole. A label that was ever sent stays as it is: replay compares. */
const labels: Readonly<Record<PartialReason, string>> = {
  cancelled: '[This answer was stopped here by the person.]',
  interrupted: '[This answer was interrupted here: the model call broke off. Go on from here if you are asked to.]',
  length: '[This answer was cut here at its length limit.]',
  empty: '[No answer was given: the model said nothing.]',
  'reasoning-only': '[No answer was given: the model reasoned and then said nothing.]',
  'content-filter': "[This answer was stopped here by the provider's content rules.]",
  'cut-call':
    '[This answer was cut here, in the middle of a tool call that was longer than an answer may be. The call did not run. Write less in one call.]',
  other: '[This answer ended here for a reason that the provider did not name.]',
}

/** A partial answer stays as its text with a label. Unfinished reasoning goes: some providers refuse it at the end. */
function addLabel(message: Message, partial: PartialReason | undefined): Message {
  if (!partial || message.role !== 'assistant') return message
  const text = messageText(message)
  return { role: 'assistant', content: text === '' ? labels[partial] : `${text}\n${labels[partial]}` }
}
