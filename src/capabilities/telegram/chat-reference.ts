import type { Binding, LogStore } from '../../session.ts'
import { defined } from '../../platform.ts'

/** Where a message belongs: a chat, or one topic of a forum. */
export interface ChatReference {
  /** The id of a person is positive, that of a group negative. */
  readonly id: number
  /** Topic of a forum. */
  readonly thread?: number
}

/** The name of a chat in the log: `CHAT`, and `CHAT/THREAD` for a topic of a forum. */
export function conversationName({ id, thread }: ChatReference): string {
  return thread === undefined ? String(id) : `${id}/${thread}`
}

export function parseConversation(conversation: string): ChatReference | undefined {
  const found = /^(-?\d{1,16})(?:\/(\d{1,16}))?$/.exec(conversation)
  if (!found) return undefined
  const id = Number(found[1])
  return found[2] === undefined ? { id } : { id, thread: Number(found[2]) }
}

export function chatBinding(chat: ChatReference): Binding {
  return { channel: 'telegram', conversation: conversationName(chat) }
}

/** A person's own chat has that person's id. Ids of groups are negative. */
export function isPersonal(id: number): boolean {
  return id > 0
}

interface TurnAuthor {
  readonly bot: number
  readonly update: number
  /** Absent where the message was sent in the name of a group or a channel. */
  readonly person?: number
  /** Telegram's id of the message. */
  readonly message?: number
}

/** A message that is handed in again is the same turn, and the key names its author and its id in the chat. */
export function inputKey({ bot, update, person, message }: TurnAuthor): string {
  return `telegram:${bot}/${update}/${person ?? ''}${message === undefined ? '' : `/${message}`}`
}

/** `undefined` where the turn was begun elsewhere than in Telegram. */
export async function turnAuthor(
  store: Pick<LogStore, 'entries'>,
  session: string,
  turn: string,
): Promise<TurnAuthor | undefined> {
  const [input] = await store.entries(session, { turn, types: ['input'] })
  const found = /^telegram:(\d+)\/(\d+)(?:\/(\d*))?(?:\/(\d+))?$/.exec(
    (input?.type === 'input' && input.idempotencyKey) || '',
  )
  if (!found) return undefined
  const [bot, update, person, message] = found.slice(1).map((digits) => (digits ? Number(digits) : undefined))
  return { bot: bot!, update: update!, ...defined({ person, message }) }
}
