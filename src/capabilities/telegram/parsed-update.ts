import type { CallbackQuery, ChatMemberUpdated, Message, MessageEntity, Update } from 'grammy/types'
import { defined, fileLabel } from '../../platform.ts'
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
  /** Without the mention of the bot; with what else the message says in words, such as a place. */
  readonly text: string
  /** What it has beside, which is not read. */
  readonly unread?: string
  /** The author of a forwarded message, or the bot that wrote it for its sender: its words are not the sender's own. */
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

/**
 * `undefined` for an update that does not concern the bot, such as a message between members of a group. The kinds that the
 * bot does not ask for are among them: posts of channels, chats of a business, inline queries, reactions, polls, payments.
 */
export function parseUpdate(update: Update, me: BotName): ParsedUpdate | undefined {
  if (update.message) return parseMessage(update.update_id, update.message, me)
  if (update.edited_message) {
    // A place that moves is an edit as well, and so is a poll that somebody answers.
    if (update.edited_message.location ?? update.edited_message.poll) return undefined
    const parsed = parseMessage(update.update_id, update.edited_message, me)
    if (parsed?.type !== 'message' || (parsed.text === '' && parsed.files.length === 0)) return undefined
    return { ...parsed, type: 'edit' }
  }
  if (update.callback_query) return parsePress(update.update_id, update.callback_query)
  if (update.my_chat_member) return parseArrival(update.update_id, update.my_chat_member)
  return undefined
}

function parseMessage(update: number, message: Message, me: BotName): ParsedMessage | ParsedMove | undefined {
  const { chat: given, media_group_id: album } = message
  const chat = chatReference(message)
  // Both groups report it: the one that ends and the one that begins.
  if (message.migrate_to_chat_id !== undefined) return { type: 'move', update, chat, to: message.migrate_to_chat_id }
  if (message.migrate_from_chat_id !== undefined) {
    return { type: 'move', update, chat: { id: message.migrate_from_chat_id }, to: chat.id }
  }
  // The bot does not answer other bots: two of them would never stop.
  if (given.type === 'channel' || (message.from?.is_bot === true && !message.sender_chat)) return undefined
  const files = messageFiles(message)
  const { text: written, addressed } = parseText(message, me)
  const text = [written, ...contentWords(message)].filter((part) => part !== '').join('\n')
  const unread = unreadContent(message, text === '' && files.length === 0)
  const forwardedFrom = forwardedAuthor(message)
  const answers = parseAnswered(message, me)
  if (text === '' && files.length === 0 && unread === undefined) return undefined
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
    ...defined({ unread, forwardedFrom, answers, album }),
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

type Content = Pick<Message, 'location' | 'venue' | 'contact' | 'poll' | 'dice' | 'sticker' | 'game' | 'checklist'>

/** What a message says in words beside its text, each in brackets on a line. */
function contentWords({ location, venue, contact, poll, dice, sticker, game, checklist }: Content): readonly string[] {
  const place = (at: { readonly latitude: number; readonly longitude: number }) => `${at.latitude}, ${at.longitude}`
  const said = (kind: string, ...words: readonly (string | undefined)[]) => {
    const known = words.flatMap((each) => (each === undefined ? [] : [wordsOnLine(each)])).filter((each) => each !== '')
    return `(${[kind, known.join(', ')].filter((each) => each !== '').join(': ')})`
  }
  return [
    // A venue has its place as a location too.
    ...(venue ? [said('a place', venue.title, venue.address, place(venue.location))] : []),
    ...(location && !venue ? [said('a place', place(location))] : []),
    ...(contact
      ? [said('a contact', [contact.first_name, contact.last_name].filter(Boolean).join(' '), contact.phone_number)]
      : []),
    ...(poll
      ? [said('a poll', poll.question, ...poll.options.map(({ text, voter_count: votes }) => `${text} (${votes})`))]
      : []),
    ...(dice ? [said(`a throw of ${wordsOnLine(dice.emoji)}`, String(dice.value))] : []),
    ...(sticker ? [said('a sticker', sticker.emoji)] : []),
    ...(game ? [said('a game', game.title, game.description)] : []),
    ...(checklist
      ? [
          said(
            'a checklist',
            checklist.title,
            ...checklist.tasks.map(({ text, completion_date: done }) => `${done ? '[x]' : '[ ]'} ${text}`),
          ),
        ]
      : []),
  ]
}

function wordsOnLine(text: string): string {
  return shorten(text.replaceAll(/[\s\p{Cc}\u2028\u2029]+/gu, ' ').trim(), MOST)
}

/** Contents that have no words for the agent, by the name of their field. */
const UNREAD: Readonly<Record<string, string>> = {
  story: 'a story',
  paid_media: 'paid photos or videos',
  live_photo: 'a live photo',
  invoice: 'an invoice',
  giveaway: 'a giveaway',
  giveaway_winners: 'a giveaway',
  gift: 'a gift',
  unique_gift: 'a gift',
  passport_data: 'passport data',
  rich_message: 'a rich message',
}

/** What every message may have beside its content. */
const SURROUNDINGS =
  /^(?:message_id|message_thread_id|date|edit_date|from|chat|text|caption|entities|caption_entities|reply_\w+|external_reply|quote|forward_origin|media_group_id|is_\w+|has_\w+|via_bot|author_signature|sender_\w+|link_preview_options|effect_id|show_caption_above_media|business_connection_id|direct_messages_topic|paid_star_count|guest_\w+|suggested_post_info)$/

/** Messages of the service itself, about the chat and not from a person: nobody expects an answer to them. */
const SERVICE =
  /^(?:new_chat_\w+|left_chat_member|delete_chat_photo|\w*chat_created|message_auto_delete_timer_changed|migrate_\w+|pinned_message|users_shared|chat_shared|connected_website|write_access_allowed|proximity_alert_triggered|boost_added|chat_\w+|checklist_tasks_\w+|forum_topic_\w+|general_forum_topic_\w+|giveaway_(?:created|completed)|gift_upgrade_sent|\w+_price_changed|video_chat_\w+|web_app_data|successful_payment|refunded_payment|suggested_post_\w+|community_\w+|poll_option_\w+|managed_bot_created)$/

/** The words for what of a message is not read; for a kind that is not known only where there is nothing else. */
function unreadContent(message: Message, isEmpty: boolean): string | undefined {
  const fields = Object.keys(message)
  const known = [...new Set(fields.flatMap((field) => UNREAD[field] ?? []))]
  if (known.length > 0) return known.join(' and ')
  if (!isEmpty || fields.some((field) => SERVICE.test(field))) return undefined
  return fields.some((field) => !SURROUNDINGS.test(field)) ? 'something that is not known here' : undefined
}

/** In a group: a mention, a command with its name, a reply to its messages, a pairing code. In a private chat: all. */
function parseText(message: Message, me: BotName) {
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

/** Photos in their largest size, documents, animations, audio and video, each with the best available name. */
function messageFiles(message: Message): readonly ParsedFile[] {
  const { photo, document, animation, audio, voice, video, video_note: note } = message
  const named = (base: string) => `${base}-${message.message_id}`
  const largest = photo?.toSorted((one, other) => one.width * one.height - other.width * other.height).at(-1)
  return [
    ...(largest ? [parsedFile(largest, `${named('photo')}.jpg`)] : []),
    ...(document ? [parsedFile(document, plainName(document.file_name) || named('file'))] : []),
    // An animation comes as a document too.
    ...(animation && !document
      ? [parsedFile(animation, plainName(animation.file_name) || `${named('animation')}.mp4`)]
      : []),
    ...(audio ? [parsedFile(audio, plainName(audio.file_name) || `${named('audio')}.mp3`)] : []),
    ...(voice ? [parsedFile(voice, `${named('voice')}.ogg`)] : []),
    ...(video ? [parsedFile(video, plainName(video.file_name) || `${named('video')}.mp4`)] : []),
    ...(note ? [parsedFile(note, `${named('video')}.mp4`)] : []),
  ]
}

/** The sender's name for a file, as one line without folders. */
function plainName(name = ''): string {
  const line = fileLabel(name)
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

/** Whose words a message has, where they are not its sender's: of a forwarded one, and of one that another bot has written inline. */
function forwardedAuthor({ forward_origin: origin, via_bot: bot }: Partial<Message>): string | undefined {
  if (!origin) return bot && memberName(bot)
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

/** `undefined` without a reply. In a topic every message replies to the first: that is none. */
function parseAnswered(message: Message, me: BotName): Answered | undefined {
  const { reply_to_message: answered, external_reply: elsewhere, reply_to_story: story, quote } = message
  if (elsewhere) {
    // Of a message in another chat Telegram gives its author and what was quoted.
    const by = forwardedAuthor({ forward_origin: elsewhere.origin }) ?? memberName({})
    return { by, text: wordsOnLine(quote?.text ?? describeContent(elsewhere)) }
  }
  if (story)
    return { by: memberName('title' in story.chat ? { first_name: story.chat.title } : story.chat), text: '(a story)' }
  if (!answered || answered.forum_topic_created !== undefined) return undefined
  const isOwn = answered.from?.id === me.id
  const line = (quote?.text ?? answered.text ?? answered.caption ?? describeContent(answered))
    .replaceAll(/[\s\p{Cc}\u2028\u2029]+/gu, ' ')
    .trim()
  if (line === '') return undefined
  return { by: isOwn ? 'you' : parseSpeaker(answered).name, text: shorten(line, isOwn ? MOST_OF_OWN : MOST) }
}

/** The words for a message without words, such as a photo; none for a message of the service. */
function describeContent(content: Content): string {
  const words = contentWords(content)
  if (words.length > 0) return words.join(' ')
  const kind = FILE_KINDS.find((one) => one in content)
  return kind === undefined
    ? ''
    : `(${kind === 'audio' || kind === 'animation' ? 'an' : 'a'} ${kind.replace('_', ' ')})`
}

const FILE_KINDS = ['photo', 'animation', 'document', 'audio', 'voice', 'video', 'video_note', 'story'] as const
