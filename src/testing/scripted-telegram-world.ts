import type { Chat, InlineKeyboardMarkup, Message, MessageEntity, User } from 'grammy/types'
import type { ScriptedChatType, ScriptedFile, ScriptedMessage } from './scripted-telegram-contract.ts'

/** What exists on Telegram's side: chats, their messages, files, and buttons that wait for an answer. */
export interface TelegramWorld {
  readonly me: User
  chat(id: number): WorldChat | undefined
  open(id: number, type?: ScriptedChatType, title?: string): WorldChat
  /** Keeps a file and answers its id. */
  keep(file: ScriptedFile): string
  file(id: string): (ScriptedFile & { readonly path: string }) | undefined
  fileAt(path: string): ScriptedFile | undefined
  /** Somebody waits for the answer to a button. */
  readonly pressed: Set<string>
}

export interface WorldChat {
  readonly chat: Chat
  /** By id, in the order in which they were written. */
  readonly messages: Map<number, WorldMessage>
  readonly threads: Set<number>
  nextId(): number
}

/** A message as it is now. */
export interface WorldMessage {
  readonly id: number
  readonly from: User
  readonly date: number
  readonly text: string
  readonly entities: readonly MessageEntity[]
  readonly keyboard: InlineKeyboardMarkup | undefined
  readonly edits: number
  readonly thread?: number
  readonly replyTo?: number
  readonly silent?: boolean
  readonly preview: boolean
  /** Further fields, such as files. With one of these the text is a caption. */
  readonly extra: Partial<Message>
}

export function telegramWorld(me: User): TelegramWorld {
  const chats = new Map<number, WorldChat>()
  const files = new Map<string, ScriptedFile & { readonly path: string }>()
  let lastPrivateId = 1000

  return {
    me,
    pressed: new Set(),
    chat: (id) => chats.get(id),
    open(id, type = id > 0 ? 'private' : 'supergroup', title = `Group ${-id}`) {
      const known = chats.get(id)
      if (known) return known
      const messages = new Map<number, WorldMessage>()
      const chat = (type === 'private' ? { id, type, ...nameOf(id) } : { id, type, title }) as Chat
      let lastId = 0
      // Private chats share one count, each large group has its own: the ids of two chats may be the same.
      const nextId = () => (type === 'private' ? ++lastPrivateId : ++lastId)
      const opened = { chat, messages, threads: new Set<number>(), nextId }
      chats.set(id, opened)
      return opened
    },
    keep(file) {
      const id = `file-${files.size + 1}`
      const path = `${file.mime?.startsWith('image/') ? 'photos' : 'documents'}/file_${files.size + 1}${endingOf(file.name)}`
      files.set(id, { ...file, path })
      return id
    },
    file: (id) => files.get(id),
    fileAt: (path) => files.values().find((file) => file.path === path),
  }
}

/** A person with an id alone. */
export function personOf(id: number): User {
  return { id, is_bot: false, ...nameOf(id), language_code: 'en' }
}

function nameOf(id: number) {
  return { first_name: `Person ${id}`, username: `person_${id}` }
}

function endingOf(name: string): string {
  return /\.\w+$/.exec(name)?.[0] ?? ''
}

/** A message as the Bot API tells it. */
export function messageOf({ chat, messages }: WorldChat, message: WorldMessage, answering = true): Message {
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
    ...(answered ? { reply_to_message: messageOf({ chat, messages } as WorldChat, answered, false) } : {}),
    ...extra,
  } as Message
}

/** A message as a person sees it. */
export function seenMessage({ from, keyboard, ...message }: WorldMessage): ScriptedMessage {
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
