import { cutPoint } from './cut-point.ts'
import type { FormattedText } from './formatted-text.ts'
import { firstKept, textSlice } from './text-slice.ts'

/** The longest message that Telegram takes, UTF-16 code units. */
const LONGEST_MESSAGE = 4096

/**
 * Messages that together say a text, each no longer than a limit of at least 2: cut between paragraphs where that can be,
 * else between lines, sentences, words, and characters. A block of code that has to be cut goes on as one. Nothing but white
 * space is lost at the cuts. Each part is decided by its own words alone: while a text grows, its first parts stay as they are.
 */
export function messageParts(text: FormattedText, limit = LONGEST_MESSAGE): readonly FormattedText[] {
  if (limit < 2) throw new RangeError(`The limit of a message is ${limit}: a single character may need 2.`)
  const end = text.text.trimEnd().length
  const parts: FormattedText[] = []
  let start = firstKept(text.text, text.entities, 0)
  while (start < end) {
    const cut = end - start <= limit ? end : cutPoint(text, start, limit)
    const part = textSlice(text, start, cut)
    if (!isBlank(part.text)) parts.push(part)
    start = firstKept(text.text, text.entities, cut)
  }
  return parts
}

/** Signs without ink are no text to Telegram. */
export function isBlank(text: string): boolean {
  return /^[\s\p{Cc}\p{Cf}\u115f\u1160\u2800\u3164\uffa0]*$/u.test(text)
}
