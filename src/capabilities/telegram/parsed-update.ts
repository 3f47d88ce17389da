import type { CallbackQuery, ChatMemberUpdated, Message, MessageEntity, Update } from 'grammy/types'
import { defined } from '../../platform.ts'
import type { ChatReference } from './chat-reference.ts'
import { shorten } from './text/formatted-text.ts'

export type ParsedUpdate = ParsedMessage | ParsedEdit | ParsedPress | ParsedArrival | ParsedMove

export interface ParsedMessage {
  readonly type: 'message'
  readonly update: number
  readonly chat: ChatReference
  readonly messageId: number
  readonly title: string
  readonly speaker: Speaker
  /** Without the mention of the bot. */
  readonly text: string
  /** The author of a forwarded message: its words are not the sender's own. */
  readonly forwardedFrom?: string
  readonly answers?: Answered
  /** Whether the message is for the bot: always in a private chat; in a group where it mentions the bot or replies to it. */
  readonly addressed: boolean
  readonly files: readonly ParsedFile[]
  /** Messages of one album arrive one by one and belong together. */
  readonly album?: string
}

/** A message whose words were changed. */
export type ParsedEdit = Omit<ParsedMessage, 'type'> & { readonly type: 'edit' }

/** The messages of an album, or one message alone. */
export type MessageGroup = readonly [ParsedMessage, ...ParsedMessage[]]

export interface ParsedPress {
  readonly type: 'press'
  readonly update: number
  readonly chat: ChatReference
  readonly callback: string
  readonly data: string
  readonly person: Speaker & { readonly id: number }
}

interface ParsedArrival {
  readonly type: 'arrival'
  readonly update: number
  readonly chat: ChatReference
}

/** A group became a supergroup and has a new id. */
interface ParsedMove {
  readonly type: 'move'
  readonly update: number
  readonly chat: ChatReference
  readonly to: number
}

/** `undefined` for an update that does not concern the bot, such as a message between members of a group. */
export function parseUpdate(update: Update, me: BotName): ParsedUpdate | undefined {
  if (update.message) return parseMessage(update.update_id, update.message, me)
  if (update.edited_message) {
    const parsed = parseMessage(update.update_id, update.edited_message, me)
    // A place that moves is an edit as well, without words.
    return parsed?.type === 'message' && parsed.text !== '' ? { ...parsed, type: 'edit' } : undefined
  }
  if (update.callback_query) return parsePress(update.update_id, update.callback_query)
  if (update.my_chat_member) return parseArrival(update.update_id, update.my_chat_member)
  return undefined
}

function parseMessage(update: number, message: Message, me: BotName): ParsedMessage | ParsedMove | undefined {
  const { chat: given, media_group_id: album } = message
  const chat = chatReference(message)
  if (message.migrate_to_chat_id !== undefined) return { type: 'move', update, chat, to: message.migrate_to_chat_id }
  // The bot does not answer other bots: two of them would never stop.
  if (given.type === 'channel' || (message.from?.is_bot === true && !message.sender_chat)) return undefined
  const files = messageFiles(message)
  const { text, addressed } = parseText(message, me)
  const forwardedFrom = forwardedAuthor(message)
  const answers = parseAnswered(message, me)
  // A service message, such as a joined member or a pinned message.
  if (text === '' && files.length === 0 && !UNREADABLE.some((kind) => message[kind] !== undefined)) return undefined
  // In an album, one message has the words for all of them.
  if (!addressed && album === undefined) return undefined
  return {
    type: 'message',
    update,
    chat,
    messageId: message.message_id,
    title: given.type === 'private' ? memberName(given) : memberName({ first_name: given.title }),
    speaker: parseSpeaker(message),
    text,
    ...defined({ forwardedFrom, answers, album }),
    addressed,
    files,
  }
}

function parsePress(update: number, { id, data, from, message }: CallbackQuery): ParsedPress | undefined {
  if (!message || data === undefined) return undefined
  const chat = 'date' in message && message.date !== 0 ? chatReference(message) : { id: message.chat.id }
  const person = { id: from.id, name: memberName(from) }
  return { type: 'press', update, chat, callback: id, data, person }
}

function parseArrival(
  update: number,
  { chat, old_chat_member: before, new_chat_member: now }: ChatMemberUpdated,
): ParsedArrival | undefined {
  if (chat.type !== 'group' && chat.type !== 'supergroup') return undefined
  const wasThere = before.status !== 'left' && before.status !== 'kicked'
  const isThere = now.status === 'member' || now.status === 'administrator'
  return !wasThere && isThere ? { type: 'arrival', update, chat: { id: chat.id } } : undefined
}

function chatReference({ chat, is_topic_message: isTopic, message_thread_id: thread }: Message): ChatReference {
  return isTopic === true && thread !== undefined ? { id: chat.id, thread } : { id: chat.id }
}

/** Kinds of messages that people send and the bot cannot read. It replies that it cannot. */
const UNREADABLE = ['sticker', 'location', 'contact', 'poll', 'venue', 'dice', 'story', 'game'] as const

interface ParsedText {
  readonly text: string
  readonly addressed: boolean
}

/** In a group: a mention, a command with its name, a reply to its messages, a pairing code. In a private chat: all. */
function parseText(message: Message, me: BotName): ParsedText {
  const text = message.text ?? message.caption ?? ''
  const entities = message.entities ?? message.caption_entities ?? []
  const mentions = entities.filter((entity) => isMention(entity, text, me))
  const words = withoutSpans(text, mentions).trim()
  const isPrivate = message.chat.type === 'private'
  const addressed =
    isPrivate ||
    mentions.length > 0 ||
    namesCommand(text, entities, me) ||
    repliesToBot(message, me) ||
    holdsCode(words)
  return { text: addressed ? withoutCommandName(words, me) : words, addressed }
}

function isMention(entity: MessageEntity, text: string, me: BotName): boolean {
  if (entity.type === 'text_mention') return entity.user.id === me.id
  if (entity.type !== 'mention') return false
  return sameName(text.slice(entity.offset + 1, entity.offset + entity.length), me)
}

/** `/command@name` with the name of this bot. */
function namesCommand(text: string, entities: readonly MessageEntity[], me: BotName): boolean {
  return entities.some(({ type, offset, length }) => {
    if (type !== 'bot_command') return false
    const name = text.slice(offset, offset + length).split('@')[1]
    return name !== undefined && sameName(name, me)
  })
}

/** People send a code as `foreword pair` shows it, without the name of the bot. */
function holdsCode(text: string): boolean {
  return /^\/pair\s+\w{4}\p{Pd}?\w{4}$/iu.test(text)
}

/** In a topic, every message replies to the first one, which means nothing. */
function repliesToBot({ reply_to_message: answered }: Message, me: BotName): boolean {
  return answered?.from?.id === me.id && answered.forum_topic_created === undefined
}

function withoutSpans(text: string, spans: readonly MessageEntity[]): string {
  let left = text
  for (const { offset, length } of spans.toSorted((one, other) => other.offset - one.offset)) {
    const before = left.slice(0, offset)
    const after = left.slice(offset + length)
    left = before + (/\s$/.test(before) || before === '' ? after.trimStart() : after)
  }
  return left
}

function withoutCommandName(text: string, me: BotName): string {
  const found = /^(\/\w+)@(\w+)(?=\s|$)/.exec(text)
  return found && sameName(found[2]!, me) ? found[1]! + text.slice(found[0].length) : text
}

function sameName(name: string, { username }: BotName): boolean {
  return name.toLowerCase() === username.toLowerCase()
}

export interface ParsedFile {
  readonly id: string
  readonly name: string
  /** Bytes, where Telegram reports it. */
  readonly size?: number
}

/** Photos in their largest size, documents, audio and video, each with the best available name. */
function messageFiles(message: Message): readonly ParsedFile[] {
  const { photo, document, audio, voice, video, video_note: note } = message
  const named = (base: string) => `${base}-${message.message_id}`
  const largest = photo?.toSorted((one, other) => one.width * one.height - other.width * other.height).at(-1)
  return [
    ...(largest ? [parsedFile(largest, `${named('photo')}.jpg`)] : []),
    ...(document ? [parsedFile(document, plainName(document.file_name) || named('file'))] : []),
    ...(audio ? [parsedFile(audio, plainName(audio.file_name) || `${named('audio')}.mp3`)] : []),
    ...(voice ? [parsedFile(voice, `${named('voice')}.ogg`)] : []),
    ...(video ? [parsedFile(video, plainName(video.file_name) || `${named('video')}.mp4`)] : []),
    ...(note ? [parsedFile(note, `${named('video')}.mp4`)] : []),
  ]
}

/** The sender's name for a file, as one line without folders. */
function plainName(name = ''): string {
  const line = name.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ').toWellFormed()
  const last = line.slice(Math.max(line.lastIndexOf('/'), line.lastIndexOf('\\')) + 1)
  return Array.from(last).slice(-LONGEST_NAME).join('').trim()
}

/** Characters. A longer name keeps its end, with the extension. */
const LONGEST_NAME = 200

function parsedFile(
  { file_id: id, file_size: size }: { readonly file_id: string; readonly file_size?: number | undefined },
  name: string,
): ParsedFile {
  return { id, name, ...defined({ size }) }
}

interface Speaker {
  /** Absent where the message was sent in the name of a group or a channel. */
  readonly id?: number
  /** One line. People choose their names freely. */
  readonly name: string
  /** `@name`, which is unique. */
  readonly handle?: string
}

export interface BotName {
  readonly id: number
  /** Without `@`. */
  readonly username: string
}

function parseSpeaker({ from, sender_chat: speaksAs, author_signature: signature }: Message): Speaker {
  if (speaksAs) {
    const name = signature ?? ('title' in speaksAs ? speaksAs.title : undefined)
    return { name: memberName(name === undefined ? {} : { first_name: name }) }
  }
  if (!from) return { name: memberName({}) }
  return { id: from.id, name: memberName(from), ...(from.username ? { handle: `@${from.username}` } : {}) }
}

/** `undefined` for a message that was not forwarded. */
function forwardedAuthor({ forward_origin: origin }: Message): string | undefined {
  if (!origin) return undefined
  if (origin.type === 'user') return memberName(origin.sender_user)
  if (origin.type === 'hidden_user') return memberName({ first_name: origin.sender_user_name })
  const chat = origin.type === 'channel' ? origin.chat : origin.sender_chat
  return memberName('title' in chat ? { first_name: chat.title } : chat)
}

/** A name as one short line that cannot imitate anything else in the text for the model. */
function memberName(names: {
  readonly first_name?: string | undefined
  readonly last_name?: string | undefined
  readonly username?: string | undefined
}): string {
  const whole = [names.first_name, names.last_name].filter(Boolean).join(' ')
  const line = oneLine(whole) || oneLine(names.username ?? '')
  return line === '' ? 'Somebody' : line
}

const LONGEST_SENDER_NAME = 64

function oneLine(name: string): string {
  const plain = name.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}:@()]+/gu, ' ').replaceAll(/\s+/gu, ' ')
  return Array.from(plain.toWellFormed()).slice(0, LONGEST_SENDER_NAME).join('').trim()
}

interface Answered {
  /** Who wrote it; `you` is the agent itself. */
  readonly by: string
  /** Its words, or the quoted passage, on one line and shortened. */
  readonly text: string
}

/** Characters of a message of somebody else. */
const MOST = 1_000
/** Characters of a message of the agent itself, which knows the rest. */
const MOST_OF_OWN = 200

/** `undefined` without a reply to a message with words. In a topic every message replies to the first: that is none. */
function parseAnswered({ reply_to_message: answered, quote }: Message, me: BotName): Answered | undefined {
  if (!answered || answered.forum_topic_created !== undefined) return undefined
  const line = (quote?.text ?? answered.text ?? answered.caption ?? '')
    .replaceAll(/[\s\p{Cc}\u2028\u2029]+/gu, ' ')
    .trim()
  if (line === '') return undefined
  const isOwn = answered.from?.id === me.id
  return { by: isOwn ? 'you' : parseSpeaker(answered).name, text: shorten(line, isOwn ? MOST_OF_OWN : MOST) }
}
