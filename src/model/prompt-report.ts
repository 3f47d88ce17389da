import type { AnyMessage } from '../context.ts'
import { outputText, toolResults } from '../context.ts'
import type { ModelRequest } from './model.ts'

/**
 * Tokens that a prompt costs at the very least, by any tokenizer: a token spans two words at most. A server that says it read
 * fewer has cut the prompt (BEHAVIOURS §1.6). Images, tools, reasoning and calls are left out, for templates leave them out
 * too or count them in their own way. `part` is what is looked at: `newest` is what follows the last answer, for a provider
 * may tell only what was not in its cache, and everything before was sent before.
 */
export function leastPromptTokens({ system = '', messages }: ModelRequest, part: 'whole' | 'newest'): number {
  const from = part === 'whole' ? 0 : messages.findLastIndex(({ role }) => role === 'assistant') + 1
  const texts = messages.slice(from).flatMap(textsOf)
  let words = part === 'whole' ? wordsIn(system) : 0
  for (const text of texts) words += wordsIn(text)
  return Math.floor(words / WORDS_PER_TOKEN)
}

const WORDS_PER_TOKEN = 2

/** More of one text proves nothing more. Characters. */
const MOST_OF_A_TEXT = 400_000

function textsOf(message: AnyMessage): readonly string[] {
  const { role, content } = message
  if (role === 'tool') return toolResults(message).map(({ output }) => outputText(output))
  if (typeof content === 'string') return [content]
  return content.flatMap((part) => (part.type === 'text' ? [part.text] : []))
}

function wordsIn(text: string): number {
  let words = 0
  for (const _ of text.slice(0, MOST_OF_A_TEXT).matchAll(WORD)) words += 1
  return words
}

/** Letters and digits in a row. Scripts without spaces count as one long word, which is little and never too much. */
const WORD = /[\p{L}\p{M}\p{N}]+/gu

/** What a provider's figure for a prompt can mean. */
export type PromptReport =
  /** The prompt was read whole. */
  | 'whole'
  /** The figure leaves out what the provider had in its cache. */
  | 'uncached'
  /** Neither: the server may have cut the prompt. An estimate says so, which proves nothing. */
  | 'short'

/** A prompt, estimated and reported. All in tokens. */
export interface PromptFigures {
  /** What its texts are expected to come to, by the counter and what was learned of it. Images are left out. */
  readonly expected: number
  /** The part of it that no call before can have left in a cache. */
  readonly fresh: number
  readonly reported: number
  /** Whether the counter was measured on this model. */
  readonly measured: boolean
}

/** A measured counter is believed to be at most so wrong, and one that was not. */
const MEASURED_FLOOR = 0.7
const UNMEASURED_FLOOR = 0.4

/** No server has a window of so few tokens, so a smaller figure leaves out a cache. */
const LEAST_WINDOW = 256

/** Caches hold a beginning in steps of up to so many tokens, so up to so many more than the fresh ones are told. */
const CACHE_STEP = 1024

/** Judges what a provider reports of a prompt. Pure; what is done about it is for the runtime to say. */
export function promptReport({ expected, fresh, reported, measured }: PromptFigures): PromptReport {
  const floor = measured ? MEASURED_FLOOR : UNMEASURED_FLOOR
  const isNearerToFresh = Math.abs(reported - fresh) < Math.abs(reported - expected)
  if (reported >= expected * floor) return isNearerToFresh ? 'uncached' : 'whole'
  if (reported < LEAST_WINDOW) return 'uncached'
  const isFreshPart = fresh < expected && reported >= fresh * floor && reported <= fresh * 2 + CACHE_STEP
  return isFreshPart ? 'uncached' : 'short'
}
