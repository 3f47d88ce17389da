import { type FormattedText, plainText } from './formatted-text.ts'

/** Markdown, as models write it, as Telegram takes it. */
export function formatted(markdown: string): FormattedText {
  return plainText(markdown.trim())
}
