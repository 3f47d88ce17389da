import type { Chat, Message, MessageEntity, Update, User } from 'grammy/types'

/** A scripted Bot API server: people act, and tests read the calls of the bot. */
export interface ScriptedTelegram {
  /** `http://127.0.0.1:PORT`, for the setting `apiRoot`. */
  readonly url: string
  readonly token: string
  /** The bot itself. */
  readonly me: User
  /** A person writes to a chat, which is created if needed. A media group gives an update for each of its files. */
  say(chat: number, text: string, options?: ScriptedMessageOptions): readonly Update[]
  /** A person presses the button with this data. Throws if the message has no such button. */
  press(chat: number, messageId: number, data: string, from?: number | User): Update
  /** A person edits a message. */
  change(chat: number, messageId: number, text: string): Update
  /** Adds any other update. */
  happen(update: Omit<Update, 'update_id'>): Update
  /** Delivers an update again, as Telegram does after a failure. */
  redeliver(updateId: number): void
  /** Creates a chat without messages. */
  open(chat: number, type?: ScriptedChatType): void
  /** The messages of a chat, of both sides, as a person sees them now. */
  messages(chat: number): readonly ScriptedMessage[]
  /** The calls of the bot so far, in order. `getUpdates` is left out unless `method` names it. */
  calls(method?: string): readonly ScriptedCall[]
  /** The next `times` calls of a method fail (1 by default). Returns a function that ends that earlier. */
  fail(method: string, how: ScriptedFailure, times?: number): () => void
  /** Waits until `predicate` returns a value and returns it. Rejects after `withinMs`, 60,000 ms by default. */
  until<T>(predicate: () => T | undefined | false, withinMs?: number): Promise<T>
  /** The updates that the bot has not acknowledged. */
  readonly waiting: readonly Update[]
  /** Ends every connection. */
  close(): Promise<void>
}

export type ScriptedChatType = Chat['type']

export interface ScriptedMessageOptions {
  /** The author: an id, or the whole user. The default is the person of a private chat, and 100 in a group. */
  readonly from?: number | User
  /** The default is `private` for a positive chat id and `supergroup` for a negative one. */
  readonly type?: ScriptedChatType
  /** The title of the group. */
  readonly title?: string
  readonly entities?: readonly MessageEntity[]
  /** With a photo the text becomes the caption. */
  readonly photo?: Uint8Array
  readonly document?: ScriptedFile
  /** The files of one album, a message for each. The text is the caption of the first. */
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
  /** Whether Telegram would show a link preview. */
  readonly preview: boolean
}

export interface ScriptedCall {
  readonly method: string
  readonly parameters: Readonly<Record<string, unknown>>
  /** The HTTP status of the answer. `undefined` if the connection was dropped. */
  readonly status: number | undefined
  /** When it arrived, in ms since 1970. */
  readonly time: number
}

/** How a call fails. With `chat`, only calls for that chat fail. */
export type ScriptedFailure = { readonly chat?: number } & (
  | { readonly type: 'limited'; readonly retryAfter: number }
  | {
      readonly type: 'refused'
      readonly code: number
      readonly description: string
      /** Such as `migrate_to_chat_id`. */
      readonly parameters?: Readonly<Record<string, number>>
    }
  /** The server fails with an HTML page. The default code is 502. */
  | { readonly type: 'broken'; readonly code?: number }
  /** The connection breaks before the call is executed or, with `done`, after it and before the answer. */
  | { readonly type: 'dropped'; readonly done?: boolean }
  /** The answer comes late. */
  | { readonly type: 'slow'; readonly ms: number }
)
