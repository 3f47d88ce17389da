import type { MessageEntity } from 'grammy/types'

/** A text as Telegram takes it: plain words, and beside them which of them look how. */
export interface FormattedText {
  readonly text: string
  /** Offsets and lengths are UTF-16 code units of `text`. Sorted; of two that share characters, one holds the other whole. */
  readonly entities: readonly MessageEntity[]
}

/** Words without any formatting. */
export function plainText(text: string): FormattedText {
  return { text: text.toWellFormed(), entities: [] }
}
