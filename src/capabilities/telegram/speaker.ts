import type { Message } from 'grammy/types'
import type { Speaker } from './parsed-update.ts'

/** Who says a message. Somebody who speaks as a group or a channel has its name, and is no person that is known. */
export function speakerOf({ from, sender_chat: speaksAs, author_signature: signature }: Message): Speaker {
  if (speaksAs) {
    const name = signature ?? ('title' in speaksAs ? speaksAs.title : undefined)
    return { name: memberName(name === undefined ? {} : { first_name: name }) }
  }
  if (!from) return { name: memberName({}) }
  return { id: from.id, name: memberName(from), ...(from.username ? { handle: `@${from.username}` } : {}) }
}

/** Who wrote a message that somebody passed on, as Telegram tells it. */
export function writerOf({ forward_origin: origin }: Message): string | undefined {
  if (!origin) return undefined
  if (origin.type === 'user') return memberName(origin.sender_user)
  if (origin.type === 'hidden_user') return memberName({ first_name: origin.sender_user_name })
  const chat = origin.type === 'channel' ? origin.chat : origin.sender_chat
  return memberName('title' in chat ? { first_name: chat.title } : chat)
}

/** A name that people gave themselves, as one short line that cannot pretend to be more. */
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
