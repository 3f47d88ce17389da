import type { FormattedText } from './formatted-text.ts'

/** The longest message that Telegram takes, UTF-16 code units. */
export const LONGEST_MESSAGE = 4096

/** Messages that together say a text, each no longer than a limit. */
export function messageParts(text: FormattedText, limit = LONGEST_MESSAGE): readonly FormattedText[] {
  const parts: FormattedText[] = []
  for (let start = 0; start < text.text.length; start += limit) {
    const piece = text.text.slice(start, start + limit).trim()
    if (piece !== '') parts.push({ text: piece, entities: [] })
  }
  return parts
}
