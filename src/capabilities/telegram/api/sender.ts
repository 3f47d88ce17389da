import type { FormattedText } from '../text/formatted-text.ts'

/**
 * Puts messages into chats. Calls of one chat run one after another in the order in which they were made; a chat that is
 * slow, limited or gone delays no other. Limits (429), network faults and faults of Telegram's servers are waited out until
 * the signal of the sender ends; then every waiting call rejects with its reason. Whatever else Telegram refuses rejects with
 * `TelegramRefusal`.
 */
export interface TelegramSender {
  /** Answers Telegram's id of the message. */
  send(to: TelegramPlace, part: FormattedText, options?: SendOptions): Promise<number>
  edit(to: TelegramPlace, messageId: number, part: FormattedText, options?: EditOptions): Promise<EditOutcome>
  /** Answers whether it was there and could be removed. */
  remove(to: TelegramPlace, messageId: number): Promise<boolean>
  /** Shows for five seconds that somebody is typing. Never waits in the line of the chat, is not tried again, never rejects. */
  typing(to: TelegramPlace): Promise<void>
  /** Ends the wait of the person who pressed a button, with a note for that person where there is a text. Never rejects. */
  answerButton(callbackId: string, text?: string): Promise<void>
}

export interface TelegramPlace {
  readonly chat: number
  /** Topic of a forum. */
  readonly thread?: number
}

export interface SendOptions {
  readonly buttons?: TelegramButtons
}

export interface EditOptions {
  /** A message edited without buttons loses those that it had. */
  readonly buttons?: TelegramButtons
  /**
   * A stream shows how far it is: such an edit gives way to a newer one of the same message, and to any limit or fault, and
   * is then `dropped`.
   */
  readonly droppable?: boolean
}

/** `same` says so already, `gone` can no longer be changed. */
export type EditOutcome = 'edited' | 'same' | 'gone' | 'dropped'

/** Rows of buttons. */
export type TelegramButtons = readonly (readonly TelegramButton[])[]

export interface TelegramButton {
  readonly text: string
  /** Comes back when it is pressed. 1 to 64 bytes of UTF-8. */
  readonly data: string
}
