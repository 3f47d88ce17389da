import { type AnyMessage, outputText, toolResults } from '../context.ts'
import type { ModelRequest } from './model.ts'

/**
 * The least tokens of a prompt with any tokenizer: a token spans at most two words. A server that reports fewer has truncated
 * the prompt (BEHAVIOURS §1.6). Images, tools, reasoning and calls are left out, because templates leave them out too or
 * count them in their own way. `part`: a provider may report only the tokens that were not in its cache. `newest` is the part
 * after the last answer; `answered` the part after the first one, which is unknown to a model that did not write that answer
 * and was never sent it.
 */
export function leastPromptTokens(
  { system = '', messages }: ModelRequest,
  part: 'whole' | 'answered' | 'newest',
): number {
  const roles = messages.map(({ role }) => role)
  const last = part === 'newest' ? roles.lastIndexOf('assistant') : roles.indexOf('assistant')
  const asked = part === 'whole' ? messages : messages.slice(last + 1)
  let words = 0
  for (const text of [...(part === 'whole' ? [system] : []), ...asked.flatMap(messageTexts)]) {
    for (const _ of text.slice(0, MOST_OF_A_TEXT).matchAll(WORD)) words += 1
  }
  return Math.floor(words / WORDS_PER_TOKEN)
}

const WORDS_PER_TOKEN = 2

/** Characters of one text that are counted. */
const MOST_OF_A_TEXT = 400_000

function messageTexts(message: AnyMessage): readonly string[] {
  const { role, content } = message
  if (role === 'tool') return toolResults(message).map(({ output }) => outputText(output))
  if (typeof content === 'string') return [content]
  return content.flatMap((part) => (part.type === 'text' ? [part.text] : []))
}

/** Letters and digits in a row. Scripts without spaces count as one long word: too few rather than too many. */
const WORD = /[\p{L}\p{M}\p{N}]+/gu

/** Meaning of a provider's figure for a prompt. */
export type PromptReport =
  /** The prompt was read whole. */
  | 'whole'
  /** The figure leaves out cached tokens. */
  | 'uncached'
  /** Neither: by an estimate, the server may have truncated the prompt. */
  | 'short'

/** Estimated and reported size of a prompt, tokens. */
export interface PromptFigures {
  /** Expected size of its texts, by the calibrated counter. Images are left out. */
  readonly expected: number
  /** The part that no earlier call can have cached. */
  readonly fresh: number
  readonly reported: number
  /** Whether the counter is calibrated for this model. */
  readonly measured: boolean
}

/** The lowest plausible share of the estimate, with a calibrated counter and without. */
const MEASURED_FLOOR = 0.7
const UNMEASURED_FLOOR = 0.4

/** The smallest window of any server, tokens: a smaller figure leaves out cached tokens. */
const LEAST_WINDOW = 256

/** The largest step of a cache, tokens: up to so many more than the fresh tokens may be reported. */
const CACHE_STEP = 1024

/** Judges the size of a prompt that a provider reports. */
export function promptReport({ expected, fresh, reported, measured }: PromptFigures): PromptReport {
  const floor = measured ? MEASURED_FLOOR : UNMEASURED_FLOOR
  const isNearerToFresh = Math.abs(reported - fresh) < Math.abs(reported - expected)
  if (reported >= expected * floor) return isNearerToFresh ? 'uncached' : 'whole'
  if (reported < LEAST_WINDOW) return 'uncached'
  const isFreshPart = fresh < expected && reported >= fresh * floor && reported <= fresh * 2 + CACHE_STEP
  return isFreshPart ? 'uncached' : 'short'
}
