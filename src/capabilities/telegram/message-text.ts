import type { Message, MessageEntity } from 'grammy/types'

/** The bot, as people name it. */
export interface BotName {
  readonly id: number
  /** Without `@`. */
  readonly username: string
}

export interface MessageText {
  /** Without mentions of the bot, trimmed. */
  readonly text: string
  /** Whether the bot is meant. */
  readonly addressed: boolean
}

/**
 * The words of a message, and whether they are for the bot: everything in a private chat; in a group what mentions it by
 * name, a command with its name, an answer to one of its messages, and a code that lets the group in.
 */
export function messageText(message: Message, me: BotName): MessageText {
  const text = message.text ?? message.caption ?? ''
  const entities = message.entities ?? message.caption_entities ?? []
  const mentions = entities.filter((entity) => isMention(entity, text, me))
  const spoken = withoutSpans(text, mentions).trim()
  const isPrivate = message.chat.type === 'private'
  const addressed =
    isPrivate || mentions.length > 0 || namesCommand(text, entities, me) || answers(message, me) || bringsCode(spoken)
  return { text: addressed ? withoutCommandName(spoken, me) : spoken, addressed }
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

/** People send a code as they were shown it, without the name of the bot. */
function bringsCode(text: string): boolean {
  return /^\/pair\s+\w{4}\p{Pd}?\w{4}$/iu.test(text)
}

/** The first message of a topic is answered by all that stand in it, which says nothing. */
function answers({ reply_to_message: answered }: Message, me: BotName): boolean {
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
