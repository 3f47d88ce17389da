import type { TelegramPlace } from './api/sender.ts'

/** The name of a place in the log: `CHAT`, and `CHAT/THREAD` for a topic of a forum. */
export function conversationOf({ chat, thread }: TelegramPlace): string {
  return thread === undefined ? String(chat) : `${chat}/${thread}`
}

/** `undefined` for what is no name of a place. */
export function placeOf(conversation: string): TelegramPlace | undefined {
  const found = /^(-?\d{1,16})(?:\/(\d{1,16}))?$/.exec(conversation)
  if (!found) return undefined
  const chat = Number(found[1])
  return found[2] === undefined ? { chat } : { chat, thread: Number(found[2]) }
}

/** A person's own chat has that person's id; groups have ids below zero. */
export function isPersonal(chat: number): boolean {
  return chat > 0
}
