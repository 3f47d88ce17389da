import { randomUUID } from 'node:crypto'
import type { Chat, InlineKeyboardMarkup, Message, Update, User, MessageEntity } from 'grammy/types'
import { defined } from '../platform.ts'
import { findEntities } from './scripted-telegram-text.ts'

/** The state of the server: chats, messages, files, and pressed buttons that wait for an answer. */
export type TelegramWorld = ReturnType<typeof telegramWorld>

export interface WorldChat {
  readonly chat: Chat
  /** By id, in the order in which they were written. */
  readonly messages: Map<number, WorldMessage>
  readonly threads: Set<number>
  nextId(): number
}

export interface WorldMessage extends Omit<ScriptedMessage, 'from' | 'buttons'> {
  readonly from: User
  readonly date: number
  readonly keyboard: InlineKeyboardMarkup | undefined
  /** Further fields, such as files. With one of these the text is a caption. */
  readonly extra: Partial<Message>
}

export function telegramWorld(me: User) {
  const chats = new Map<number, WorldChat>()
  const files = new Map<string, ScriptedFile & { readonly path: string }>()
  let lastPrivateId = 1000

  return {
    me,
    /** Ids of callback queries that the bot has not answered. */
    pressed: new Set(),
    chat: (id: number) => chats.get(id),
    open(id: number, type = id > 0 ? 'private' : 'supergroup', title = `Group ${-id}`) {
      const known = chats.get(id)
      if (known) return known
      const messages = new Map<number, WorldMessage>()
      const chat = (type === 'private' ? { id, type, ...personNames(id) } : { id, type, title }) as Chat
      let lastId = 0
      // All private chats share one counter and each group has its own, so messages of two chats may have the same id.
      const nextId = () => (type === 'private' ? ++lastPrivateId : ++lastId)
      const opened = { chat, messages, threads: new Set<number>(), nextId }
      chats.set(id, opened)
      return opened
    },
    keep(file: ScriptedFile) {
      const id = `file-${files.size + 1}`
      const path = `${file.mime?.startsWith('image/') ? 'photos' : 'documents'}/file_${files.size + 1}${/\.\w+$/.exec(file.name)?.[0] ?? ''}`
      files.set(id, { ...file, path })
      return id
    },
    file: (id: string) => files.get(id),
    fileAt: (path: string) => files.values().find((file) => file.path === path),
  }
}

function personNames(id: number) {
  return { first_name: `Person ${id}`, username: `person_${id}` }
}

/** A message in the format of the Bot API. */
export function apiMessage({ chat, messages }: WorldChat, message: WorldMessage, answering = true): Message {
  const { id, from, date, text, entities, keyboard, edits, thread, replyTo, extra } = message
  const isCaption = ['photo', 'document', 'voice', 'video', 'audio'].some((kind) => kind in extra)
  const marks = entities.length > 0 ? { [isCaption ? 'caption_entities' : 'entities']: entities } : {}
  const answered = answering && replyTo !== undefined ? messages.get(replyTo) : undefined
  return {
    message_id: id,
    from,
    chat,
    date,
    ...(thread === undefined ? {} : { message_thread_id: thread, is_topic_message: true }),
    ...(edits > 0 ? { edit_date: date } : {}),
    ...(text === '' ? {} : { [isCaption ? 'caption' : 'text']: text, ...marks }),
    ...(keyboard ? { reply_markup: keyboard } : {}),
    ...(answered ? { reply_to_message: apiMessage({ chat, messages } as WorldChat, answered, false) } : {}),
    ...extra,
  } as Message
}

/** A message as a person sees it. */
export function visibleMessage({ from, keyboard, ...message }: WorldMessage): ScriptedMessage {
  const { extra: _extra, date: _date, ...seen } = message
  const buttons = keyboard?.inline_keyboard ?? []
  return {
    ...seen,
    from: from.is_bot ? 'bot' : 'person',
    buttons: buttons.map((row) =>
      row.map((button) => ({ text: button.text, data: 'callback_data' in button ? button.callback_data : '' })),
    ),
  }
}

type NewUpdate = Omit<Update, 'update_id'>

/** The person who writes in a group when the test names nobody. */
const SOMEBODY = 100

/** The actions of people. `add` delivers the updates that they cause. */
export function telegramPeople(
  world: TelegramWorld,
  add: (news: NewUpdate) => Update,
): Pick<ScriptedTelegram, 'say' | 'press' | 'change'> {
  function write(place: WorldChat, text: string, options: ScriptedMessageOptions, extra: Partial<Message>): Update {
    const { from = place.chat.type === 'private' ? place.chat.id : SOMEBODY, entities, thread, replyTo } = options
    const id = place.nextId()
    if (thread !== undefined) place.threads.add(thread)
    const message = {
      id,
      from: toUser(from),
      date: Math.floor(Date.now() / 1000),
      text,
      entities: entities ?? findEntities(text),
      keyboard: undefined,
      edits: 0,
      ...defined({ thread, replyTo }),
      preview: true,
      extra: { ...extra, ...options.extra },
    }
    place.messages.set(id, message)
    return add({ message: apiMessage(place, message) } as NewUpdate)
  }

  function picture(bytes: Uint8Array): Partial<Message> {
    const size = (side: number) => {
      const id = world.keep({ name: 'photo.jpg', bytes, mime: 'image/jpeg' })
      return { file_id: id, file_unique_id: `unique-${id}`, width: side, height: side, file_size: bytes.byteLength }
    }
    return { photo: [size(90), size(1280)] }
  }

  function paper({ name, bytes, mime }: ScriptedFile): Partial<Message> {
    const id = world.keep({ name, bytes, ...defined({ mime }) })
    const type = mime === undefined ? {} : { mime_type: mime }
    return {
      document: { file_id: id, file_unique_id: `unique-${id}`, file_name: name, file_size: bytes.byteLength, ...type },
    }
  }

  function messageIn(chat: number, id: number) {
    const place = world.chat(chat)
    const message = place?.messages.get(id)
    if (!place || !message) throw new Error(`There is no message ${id} in chat ${chat}.`)
    return { place, message }
  }

  return {
    say(chat, text, options = {}) {
      const place = world.open(chat, options.type, options.title)
      const { photo, document, mediaGroup } = options
      if (!mediaGroup) {
        const extra = { ...(photo ? picture(photo) : {}), ...(document ? paper(document) : {}) }
        return [write(place, text, options, extra)]
      }
      const album = { media_group_id: randomUUID() }
      return mediaGroup.map((file, index) => {
        const extra = file instanceof Uint8Array ? picture(file) : paper(file)
        return write(place, index === 0 ? text : '', options, { ...extra, ...album })
      })
    },

    press(chat, messageId, data, from = chat) {
      const { place, message } = messageIn(chat, messageId)
      const buttons = message.keyboard?.inline_keyboard.flat() ?? []
      if (!buttons.some((button) => 'callback_data' in button && button.callback_data === data)) {
        throw new Error(`Message ${messageId} has no button with ${data}: ${JSON.stringify(buttons)}.`)
      }
      const id = randomUUID()
      world.pressed.add(id)
      const person = toUser(from)
      const query = { id, from: person, message: apiMessage(place, message), chat_instance: String(chat), data }
      return add({ callback_query: query })
    },

    change(chat, messageId, text) {
      const { place, message: before } = messageIn(chat, messageId)
      const message = { ...before, text, entities: findEntities(text), edits: before.edits + 1 }
      place.messages.set(messageId, message)
      return add({ edited_message: apiMessage(place, message) } as NewUpdate)
    },
  }
}

function toUser(from: number | User): User {
  return typeof from === 'number' ? { id: from, is_bot: false, ...personNames(from), language_code: 'en' } : from
}

/** A scripted Bot API server: people act, and tests read the calls of the bot. */
export interface ScriptedTelegram {
  /** `http://127.0.0.1:PORT`, for the setting `apiRoot`. */
  readonly url: string
  readonly token: string
  readonly me: User
  /** A person writes to a chat, which is created if needed. A media group gives an update for each of its files. */
  say(chat: number, text: string, options?: ScriptedMessageOptions): readonly Update[]
  /** A person presses the button with this data. Throws if the message has no such button. */
  press(chat: number, messageId: number, data: string, from?: number | User): Update
  change(chat: number, messageId: number, text: string): Update
  happen(update: Omit<Update, 'update_id'>): Update
  /** Delivers an update again, as Telegram does after a failure. */
  redeliver(updateId: number): void
  open(chat: number, type?: ScriptedChatType): void
  /** The messages of a chat, of both sides, as a person sees them now. */
  messages(chat: number): readonly ScriptedMessage[]
  /** The calls of the bot so far, in order. `getUpdates` is left out unless `method` names it. */
  calls(method?: string): readonly ScriptedCall[]
  /** The next `times` calls of a method fail (1 by default). Returns a function that ends that earlier. */
  fail(method: string, how: ScriptedFailure, times?: number): () => void
  /** Waits until `predicate` returns a value and returns it. Rejects after `withinMs`, 60,000 ms by default. */
  until<T>(predicate: () => T | undefined | false, withinMs?: number): Promise<T>
  readonly waiting: readonly Update[]
  close(): Promise<void>
}

type ScriptedChatType = Chat['type']

interface ScriptedMessageOptions {
  /** The author: an id, or the whole user. The default is the person of a private chat, and 100 in a group. */
  readonly from?: number | User
  /** The default is `private` for a positive chat id and `supergroup` for a negative one. */
  readonly type?: ScriptedChatType
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

interface ScriptedFile {
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
