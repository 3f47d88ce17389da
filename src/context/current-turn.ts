import type { Origin } from './layer.ts'
import type { PricedTurn } from './priced-turn.ts'
import { smallestForm, sumTokens } from './priced-turn.ts'
import { attachmentSections, included, type Section } from './section.ts'
import type { TokenCounter } from './token-counter.ts'
import { type FormedMessage, inForm, type PricedMessage } from './tool-output.ts'
import { unpairedSections } from './turn-section.ts'

/** The turn that is being answered, as much of it as a request holds. */
export interface CurrentTurn {
  readonly turn: PricedTurn
  readonly messages: readonly FormedMessage[]
  /** Messages and attachments. */
  readonly tokens: number
}

/** The current turn with nothing made smaller. */
export function wholeTurn(turn: PricedTurn): CurrentTurn {
  return { turn, messages: turn.messages, tokens: turn.tokens }
}

/**
 * Shrinks tool results of the current turn until it fits `limit` tokens: those of settled steps to excerpts, then to
 * nothing but their size, oldest first; last, and only to an excerpt, the ones the model has not yet answered to.
 */
export function shrinkTurn(
  turn: PricedTurn,
  limit: number,
  counter: TokenCounter,
  reader: string | undefined,
): CurrentTurn {
  const messages = [...turn.messages]
  let tokens = turn.tokens
  for (const { index, form } of stepsDown(turn.messages)) {
    if (tokens <= limit) break
    const smaller = inForm(turn.messages[index]!, form, counter, reader)
    const saved = messages[index]!.tokens - smaller.tokens
    if (saved <= 0) continue
    tokens -= saved
    messages[index] = smaller
  }
  return { turn, messages, tokens }
}

/** The current turn as it stands in the account. */
export function currentSections({ turn, messages }: CurrentTurn, counter: TokenCounter): readonly Section[] {
  const form = smallestForm(messages)
  const tokens = sumTokens(messages)
  const origin: Origin = { kind: 'user', ref: turn.id }
  const about = { id: turn.id, layer: 'turn', slot: 'input' as const, form, tokens, origin }
  const section: Section =
    form === 'full'
      ? included(about, messages)
      : {
          entry: { ...about, outcome: 'reduced', fullTokens: sumTokens(turn.messages), reason: { code: 'shortage' } },
          messages,
        }
  return [
    ...attachmentSections(turn.attachments, 'input'),
    section,
    ...unpairedSections(turn.id, turn.unpaired, 'input', counter),
  ]
}

function* stepsDown(messages: readonly PricedMessage[]) {
  const answered = messages.findLastIndex(({ message }) => message.role === 'assistant')
  const results = [...messages.keys()].filter((index) => messages[index]!.message.role === 'tool')
  const settled = results.filter((index) => index < answered)
  for (const index of settled) yield { index, form: 'tool-output-excerpt' as const }
  for (const index of settled) yield { index, form: 'tool-output-cleared' as const }
  for (const index of results.filter((result) => result > answered))
    yield { index, form: 'tool-output-excerpt' as const }
}
