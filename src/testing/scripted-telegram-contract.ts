import type { Chat, Message, MessageEntity, Update, User } from 'grammy/types'

/** A Bot API server on a script: what people did, what the bot called, and what it gets to hear. */
export interface ScriptedTelegram {
  /** `http://127.0.0.1:PORT`, to be given as `apiRoot`. */
  readonly url: string
  readonly token: string
  /** The bot itself. */
  readonly me: User
  /** A person writes something into a chat, which exists from then on. A media group gives an update for each of its files. */
  say(chat: number, text: string, options?: ScriptedSaying): readonly Update[]
  /** A person presses the button with that data. Throws where the message has no such button. */
  press(chat: number, messageId: number, data: string, from?: number | User): Update
  /** A person edits what they wrote. */
  change(chat: number, messageId: number, text: string): Update
  /** Something else happens. */
  happen(update: Omit<Update, 'update_id'>): Update
  /** Gives an update once more, as Telegram does after a fault. */
  redeliver(updateId: number): void
  /** A chat exists without a word of a person in it. */
  open(chat: number, type?: ScriptedChatType): void
  /** Messages of a chat as a person sees them now, both sides. */
  messages(chat: number): readonly ScriptedMessage[]
  /** What the bot called so far, in order. `getUpdates` is left out unless asked for by name. */
  calls(method?: string): readonly ScriptedCall[]
  /** The next calls of a method fail that way. */
  fail(method: string, how: ScriptedFailure, times?: number): void
  /** Waits until something is true and answers it. Rejects after `withinMs` (60,000 ms unless given) and says so. */
  until<T>(predicate: () => T | undefined | false, withinMs?: number): Promise<T>
  /** Updates that nobody acknowledged. */
  readonly waiting: readonly Update[]
  /** Ends every connection. */
  close(): Promise<void>
}

export type ScriptedChatType = Chat['type']

export interface ScriptedSaying {
  /** Who says so: an id, or the whole person. The chat's own person unless given (100 in a group). */
  readonly from?: number | User
  /** `private` for a positive chat id, `supergroup` for a negative one, unless given. */
  readonly type?: ScriptedChatType
  /** What the group is called. */
  readonly title?: string
  readonly entities?: readonly MessageEntity[]
  /** The text becomes the caption. */
  readonly photo?: Uint8Array
  readonly document?: ScriptedFile
  /** Files of one album: a message each, the text is the caption of the first. */
  readonly mediaGroup?: readonly (ScriptedFile | Uint8Array)[]
  readonly replyTo?: number
  readonly thread?: number
  /** Further fields of the message, such as `voice` or `migrate_to_chat_id`. */
  readonly extra?: Partial<Message>
}

export interface ScriptedFile {
  readonly name: string
  readonly bytes: Uint8Array
  readonly mime?: string
}

/** A message as a person sees it now. */
export interface ScriptedMessage {
  readonly id: number
  readonly from: 'bot' | 'person'
  readonly text: string
  readonly entities: readonly MessageEntity[]
  /** Rows of buttons. */
  readonly buttons: readonly (readonly { readonly text: string; readonly data: string }[])[]
  readonly edits: number
  readonly thread?: number
  readonly replyTo?: number
  readonly silent?: boolean
  /** Whether a link in it would be fetched. */
  readonly preview: boolean
}

export interface ScriptedCall {
  readonly method: string
  readonly parameters: Readonly<Record<string, unknown>>
  /** What was answered; `undefined` where the connection was dropped. */
  readonly status: number | undefined
  /** `Date.now()` when it came, ms. */
  readonly time: number
}

/** How a call fails. With `chat`, calls for that chat alone. */
export type ScriptedFailure = { readonly chat?: number } & (
  | { readonly type: 'limited'; readonly retryAfter: number }
  | {
      readonly type: 'refused'
      readonly code: number
      readonly description: string
      /** Such as `migrate_to_chat_id`. */
      readonly parameters?: Readonly<Record<string, number>>
    }
  /** Telegram's servers fail, with a page that is no JSON. */
  | { readonly type: 'broken'; readonly code?: number }
  /** The connection ends, before anything is done, or after it was done and before the answer. */
  | { readonly type: 'dropped'; readonly done?: boolean }
  /** It is answered, but late. */
  | { readonly type: 'slow'; readonly ms: number }
)
