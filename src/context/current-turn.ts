import type { Reason } from './reason.ts'
import { outputText, toolResults } from './message.ts'
import { type PricedTurn, sumTokens } from './priced-turn.ts'
import { attachmentSections, type Section, turnSection, unpairedSections } from './section.ts'
import type { TokenCounter } from './token-counter.ts'
import { excerptedTo, type FormedMessage } from './tool-output.ts'

/** The number of messages of the current turn before the model's last message: their results are answered. */
export function answeredBefore({ messages }: PricedTurn): number {
  return Math.max(
    0,
    messages.findLastIndex(({ message }) => message.role === 'assistant'),
  )
}

/** What the current turn must be sent with: its files and messages, answered results cleared. Tokens. */
export function requiredTokens(current: PricedTurn): number {
  return sumTokens(current.attachments) + sumTokens(requiredMessages(current))
}

function requiredMessages(current: PricedTurn): FormedMessage[] {
  const answered = answeredBefore(current)
  return current.messages.map((message, at) => (at < answered ? current.leastAt(at) : message))
}

/** The least that the current turn can be sent with: all its results as short as they get. Tokens. */
export function leastCurrentTokens(current: PricedTurn, counter: TokenCounter, reader: string | undefined): number {
  const shortest = excerptAll(requiredMessages(current), LEAST_CHARACTERS, counter, reader)
  return sumTokens(current.attachments) + sumTokens(shortest)
}

/** Answered results that would have stayed whole, cleared as far as `limit` asks for it, oldest first. */
export function clearAnswered(
  current: PricedTurn,
  messages: readonly FormedMessage[],
  limit: number,
): readonly FormedMessage[] {
  const answered = answeredBefore(current)
  let over = sumTokens(messages) - limit
  return messages.map((message, at) => {
    if (over <= 0 || at >= answered) return message
    const least = current.leastAt(at)
    over -= message.tokens - least.tokens
    return least
  })
}

/**
 * Cuts what is still whole of the results, which are those that the model has not answered, to excerpts as large as
 * `limit` allows: all to the same number of characters, so that short ones stay as they are.
 */
export function fitResults(
  messages: readonly FormedMessage[],
  limit: number,
  counter: TokenCounter,
  reader: string | undefined,
): readonly FormedMessage[] {
  if (sumTokens(messages) <= limit) return messages
  let fitting = excerptAll(messages, LEAST_CHARACTERS, counter, reader)
  const longest = Math.max(
    0,
    ...messages.flatMap(({ message }) => toolResults(message)).map(({ output }) => outputText(output).length),
  )
  let low = 0
  let high = Math.ceil(Math.max(0, longest - LEAST_CHARACTERS) / STEP)
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    const tried = excerptAll(messages, LEAST_CHARACTERS + middle * STEP, counter, reader)
    if (sumTokens(tried) <= limit) {
      fitting = tried
      low = middle
    } else high = middle - 1
  }
  return fitting
}

/**
 * What the model has answered, in the room that its unanswered results leave whole: newest first as it is, the one that does
 * not fit any more as an excerpt as large as the room, and older ones cleared. `undefined` where there is no such room.
 */
export function fitAnswered(
  current: PricedTurn,
  limit: number,
  counter: TokenCounter,
  reader: string | undefined,
): readonly FormedMessage[] | undefined {
  const messages = requiredMessages(current)
  let left = limit - sumTokens(messages)
  if (left < 0) return undefined
  for (let at = answeredBefore(current) - 1; at >= 0; at--) {
    const room = messages[at]!.tokens + left
    const [fitting] = fitResults([current.messageAt(at, 'full')], room, counter, reader)
    if (fitting!.tokens > room) break
    left = room - fitting!.tokens
    messages[at] = fitting!
    if (fitting!.form !== 'full') break
  }
  return messages
}

/** An unanswered result is never shown with fewer characters, and with so many more at a time. */
const LEAST_CHARACTERS = 400
const STEP = 32

function excerptAll(
  messages: readonly FormedMessage[],
  characters: number,
  counter: TokenCounter,
  reader: string | undefined,
): readonly FormedMessage[] {
  return messages.map((message) =>
    message.form === 'full' ? excerptedTo(message, characters, counter, reader) : message,
  )
}

/** The manifest entries of the current turn. */
export function currentSections(
  turn: PricedTurn,
  messages: readonly FormedMessage[],
  reason: Reason,
  counter: TokenCounter,
): readonly Section[] {
  const section = turnSection(turn.id, 'input', messages, turn.messages, reason)
  return [
    ...attachmentSections(turn.attachments, 'input'),
    section,
    ...unpairedSections(turn.id, turn.unpaired, 'input', counter),
  ]
}
