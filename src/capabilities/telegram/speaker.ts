import type { Message } from 'grammy/types'
import { shorten } from './text/formatted-text.ts'

export interface Speaker {
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

export function parseSpeaker({ from, sender_chat: speaksAs, author_signature: signature }: Message): Speaker {
  if (speaksAs) {
    const name = signature ?? ('title' in speaksAs ? speaksAs.title : undefined)
    return { name: memberName(name === undefined ? {} : { first_name: name }) }
  }
  if (!from) return { name: memberName({}) }
  return { id: from.id, name: memberName(from), ...(from.username ? { handle: `@${from.username}` } : {}) }
}

/** `undefined` for a message that was not forwarded. */
export function forwardedAuthor({ forward_origin: origin }: Message): string | undefined {
  if (!origin) return undefined
  if (origin.type === 'user') return memberName(origin.sender_user)
  if (origin.type === 'hidden_user') return memberName({ first_name: origin.sender_user_name })
  const chat = origin.type === 'channel' ? origin.chat : origin.sender_chat
  return memberName('title' in chat ? { first_name: chat.title } : chat)
}

/** A name as one short line that cannot imitate anything else in the text for the model. */
export function memberName(names: {
  readonly first_name?: string | undefined
  readonly last_name?: string | undefined
  readonly username?: string | undefined
}): string {
  const whole = [names.first_name, names.last_name].filter(Boolean).join(' ')
  const line = oneLine(whole) || oneLine(names.username ?? '')
  return line === '' ? 'Somebody' : line
}

const LONGEST_NAME = 64

function oneLine(name: string): string {
  const plain = name.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}:@()]+/gu, ' ').replaceAll(/\s+/gu, ' ')
  return Array.from(plain.toWellFormed()).slice(0, LONGEST_NAME).join('').trim()
}

export interface Answered {
  /** Who wrote it; `you` is the agent itself. */
  readonly by: string
  /** Its words, or the quoted passage, on one line and shortened. */
  readonly text: string
}

/** Characters of a message of somebody else. */
const MOST = 1_000
/** Characters of a message of the agent itself, which knows the rest. */
const MOST_OF_OWN = 200

/**
 * `undefined` without a reply to a message with words. In a topic, every message replies to the first, which means
 * nothing.
 */
export function parseAnswered({ reply_to_message: answered, quote }: Message, me: BotName): Answered | undefined {
  if (!answered || answered.forum_topic_created !== undefined) return undefined
  const line = (quote?.text ?? answered.text ?? answered.caption ?? '')
    .replaceAll(/[\s\p{Cc}\u2028\u2029]+/gu, ' ')
    .trim()
  if (line === '') return undefined
  const isOwn = answered.from?.id === me.id
  return { by: isOwn ? 'you' : parseSpeaker(answered).name, text: shorten(line, isOwn ? MOST_OF_OWN : MOST) }
}
