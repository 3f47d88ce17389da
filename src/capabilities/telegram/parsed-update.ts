import { defined } from '../../platform.ts'
import type { CallbackQuery, ChatMemberUpdated, Message, Update } from 'grammy/types'
import type { TelegramPlace } from './api/sender.ts'
import { type Answered, answeredIn } from './answered.ts'
import { type BotName, messageText } from './message-text.ts'
import { type ParsedFile, filesOf } from './parsed-files.ts'
import { memberName, speakerOf, writerOf } from './speaker.ts'

/** What an update says, as far as it concerns the bot. */
export type ParsedUpdate = ParsedMessage | ParsedPress | ParsedArrival | ParsedMove

/** Somebody said something. */
export interface ParsedMessage {
  readonly type: 'message'
  readonly update: number
  readonly place: TelegramPlace
  readonly messageId: number
  /** What the chat is called. */
  readonly title: string
  readonly speaker: Speaker
  /** Without the mention of the bot. */
  readonly text: string
  /** Who wrote the words, where they were passed on: they are not the speaker's own. */
  readonly forwardedFrom?: string
  readonly answers?: Answered
  /** Always in a private chat; in a group only what mentions the bot, or answers it. */
  readonly addressed: boolean
  readonly files: readonly ParsedFile[]
  /** Messages of one album come one by one and belong together. */
  readonly album?: string
}

export interface Speaker {
  /** Absent where somebody speaks as a group or a channel. */
  readonly id?: number
  /** One line, chosen by whoever bears it. */
  readonly name: string
  /** `@name`, which nobody else has. */
  readonly handle?: string
}

/** Somebody pressed a button. */
export interface ParsedPress {
  readonly type: 'press'
  readonly update: number
  readonly place: TelegramPlace
  readonly callback: string
  readonly data: string
  readonly person: Speaker & { readonly id: number }
}

/** The bot was taken into a group. */
export interface ParsedArrival {
  readonly type: 'arrival'
  readonly update: number
  readonly place: TelegramPlace
}

/** A group became a supergroup and has another id now. */
export interface ParsedMove {
  readonly type: 'move'
  readonly update: number
  readonly place: TelegramPlace
  readonly to: number
}

/** Reads an update. `undefined` for what is of no concern, such as the talk of a group among itself. */
export function parseUpdate(update: Update, me: BotName): ParsedUpdate | undefined {
  if (update.message) return parseMessage(update.update_id, update.message, me)
  if (update.callback_query) return parsePress(update.update_id, update.callback_query)
  if (update.my_chat_member) return parseArrival(update.update_id, update.my_chat_member)
  return undefined
}

function parseMessage(update: number, message: Message, me: BotName): ParsedMessage | ParsedMove | undefined {
  const { chat, media_group_id: album } = message
  const place = placeOf(message)
  if (message.migrate_to_chat_id !== undefined) return { type: 'move', update, place, to: message.migrate_to_chat_id }
  if (chat.type === 'channel' || isProgram(message)) return undefined
  const files = filesOf(message)
  const { text, addressed } = messageText(message, me)
  const forwardedFrom = writerOf(message)
  const answers = answeredIn(message, me)
  if (text === '' && files.length === 0 && isService(message)) return undefined
  // In an album one message bears the words, and speaks for all.
  if (!addressed && album === undefined) return undefined
  return {
    type: 'message',
    update,
    place,
    messageId: message.message_id,
    title: chat.type === 'private' ? memberName(chat) : memberName({ first_name: chat.title }),
    speaker: speakerOf(message),
    text,
    ...defined({ forwardedFrom }),
    ...(answers ? { answers } : {}),
    addressed,
    files,
    ...defined({ album }),
  }
}

function parsePress(update: number, { id, data, from, message }: CallbackQuery): ParsedPress | undefined {
  if (!message || data === undefined) return undefined
  const place = 'date' in message && message.date !== 0 ? placeOf(message) : { chat: message.chat.id }
  const person = { id: from.id, name: memberName(from) }
  return { type: 'press', update, place, callback: id, data, person }
}

function parseArrival(
  update: number,
  { chat, old_chat_member: before, new_chat_member: now }: ChatMemberUpdated,
): ParsedArrival | undefined {
  if (chat.type !== 'group' && chat.type !== 'supergroup') return undefined
  const wasThere = before.status !== 'left' && before.status !== 'kicked'
  const isThere = now.status === 'member' || now.status === 'administrator'
  return !wasThere && isThere ? { type: 'arrival', update, place: { chat: chat.id } } : undefined
}

function placeOf({ chat, is_topic_message: isTopic, message_thread_id: thread }: Message): TelegramPlace {
  return isTopic === true && thread !== undefined ? { chat: chat.id, thread } : { chat: chat.id }
}

/** Other bots are not answered: two of them would talk for ever. */
function isProgram({ from, sender_chat: speaksAs }: Message): boolean {
  return from?.is_bot === true && !speaksAs
}

/** Somebody joined, a message was pinned and the like: nothing that anybody said. */
function isService(message: Message): boolean {
  return !SPOKEN.some((kind) => message[kind] !== undefined)
}

/** Kinds of messages that people send and that the bot cannot read. It says so. */
const SPOKEN = ['sticker', 'location', 'contact', 'poll', 'venue', 'dice', 'story', 'game'] as const
