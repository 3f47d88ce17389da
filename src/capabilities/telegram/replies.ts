import { type ChannelContext, type Reply, UndeliverableError } from '../../capability.ts'
import { createActivity } from '../../platform.ts'
import { citedSources, readTurnView } from '../../runtime.ts'
import type { Entry, LogStore } from '../../session.ts'
import type { ChatAccess } from './access.ts'
import { TelegramRefusal } from './api/telegram-api.ts'
import type { TelegramSender } from './api/telegram-sender.ts'
import { type ChatReference, parseConversation, turnAuthor } from './chat-reference.ts'
import {
  type FollowedTurn,
  type Follower,
  followTurn,
  type ReplyMessages,
  createReplyMessages,
  replyParts,
  replyText,
} from './follow-turn.ts'
import { plainText } from './text/formatted-text.ts'
import type { Sleep } from './timing.ts'

export type Replies = ReturnType<typeof createReplies>

interface RepliesParts {
  readonly context: ChannelContext
  readonly sender: TelegramSender
  readonly access: ChatAccess
  readonly sleep: Sleep
  readonly signal: AbortSignal
  readonly onEntry: (followed: FollowedTurn, entry: Entry) => void
}

export function createReplies(parts: RepliesParts) {
  const { context, sender, access } = parts
  const { store } = context.runtime
  const replies = new Map<string, ReplyMessages>()
  const followers = new Map<string, Follower>()
  const leaving = createActivity()

  function messagesFor({ session, turn }: Pick<FollowedTurn, 'session' | 'turn'>, chat: ChatReference): ReplyMessages {
    const known =
      replies.get(turn) ??
      createReplyMessages(sender, chat, {
        sending: (part) => context.sending(session, turn, part),
        sent: (part) => context.sent(session, turn, part),
      })
    replies.set(turn, known)
    return known
  }

  function follow(followed: FollowedTurn): void {
    const { session, turn, chat } = followed
    if (followers.has(turn)) return
    const shown = messagesFor(followed, chat)
    const follower = followTurn(followed, {
      ...parts,
      runtime: context.runtime,
      shown,
      mayShow: () => access.chat(chat.id),
      isNext: () => isNextReply(store, session, turn),
      onEntry: (entry) => parts.onEntry(followed, entry),
      async begin() {
        const row = await store.turn(session, turn)
        if (row?.state !== 'queued' && row?.state !== 'running') return false
        const sent = await store.entries(session, { turn, types: ['sent'] })
        shown.adopt(sent.flatMap((entry) => (entry.type === 'sent' ? [entry] : [])))
        return true
      },
    })
    followers.set(turn, follower)
    void follower.over.then(() => leaving.run(undefined, leave(followed, follower, shown))).catch(() => {})
  }

  /** A cancelled turn without words delivers nothing, so its interim messages are removed. */
  async function leave({ session, turn }: FollowedTurn, follower: Follower, shown: ReplyMessages): Promise<void> {
    await follower.settle()
    followers.delete(turn)
    if (shown.sent.length > 0) {
      const { outcome, text } = await readTurnView(store, session, turn)
      if (outcome?.type !== 'cancelled' || text !== '') return
      await shown.finish([])
    }
    replies.delete(turn)
  }

  async function put(reply: Reply): Promise<string> {
    const { session, turn, conversation } = reply
    const chat = parseConversation(conversation)
    if (!chat) throw new UndeliverableError(`${conversation} is not a Telegram chat.`)
    if (!(await access.chat(chat.id))) {
      throw new UndeliverableError(`The chat ${chat.id} no longer has access to the bot.`)
    }
    const shown = messagesFor(reply, chat)
    shown.adopt(reply.sent)
    const sources = citedSources(await store.entries(session, { turn, types: ['message'] }))
    await shown.finish(replyParts(replyText(reply, sources)))
    return shown.sent[0]!.messageId
  }

  /** Who asked in a group where the bot may no longer write reads why nothing comes. Never rejects. */
  async function sayInPrivate({ session, turn, conversation }: Reply): Promise<void> {
    const author = await turnAuthor(store, session, turn)
    if (author?.person === undefined || conversation === String(author.person)) return
    const text =
      'I have an answer for you, and the group does not let me write there. Ask me here, or let me write again.'
    await sender.send({ id: author.person }, plainText(text)).catch(() => {})
  }

  return {
    follow,

    /** Puts the final reply into its chat. Returns the id of its first message. */
    async deliver(reply: Reply): Promise<{ readonly messageId: string }> {
      await followers.get(reply.turn)?.settle()
      try {
        const messageId = await put(reply)
        replies.delete(reply.turn)
        return { messageId }
      } catch (error) {
        const final = finalError(error)
        if (!final) throw error
        replies.delete(reply.turn)
        if (error instanceof TelegramRefusal) await sayInPrivate(reply)
        throw final
      }
    },
    idle: leaving.idle,
    async settled(): Promise<void> {
      await Promise.all(Array.from(followers.values(), ({ over }) => over))
    },
  }
}

/** A failure that a retry cannot fix: the chat is gone, or the bot was removed from it. */
function finalError(error: unknown): UndeliverableError | undefined {
  if (error instanceof UndeliverableError) return error
  if (!(error instanceof TelegramRefusal)) return undefined
  if (error.migratedTo !== undefined) {
    return new UndeliverableError(`The group became a supergroup with the id ${error.migratedTo}. Pair it again.`)
  }
  return error.status === 403 || error.status === 400 ? new UndeliverableError(error.message) : undefined
}

/** Turns that are read at a time. */
const PAGE = 50

/**
 * Whether every reply before that of a turn is in its chat: after a restart a turn may resume before an older reply
 * was sent. A skipped reply counts as missing; the next one is then sent whole.
 */
export async function isNextReply(store: LogStore, session: string, turn: string): Promise<boolean> {
  let before = (await store.turn(session, turn))?.ordinal
  if (before === undefined) return false
  for (;;) {
    const page = await store.turns(session, { limit: PAGE, before })
    for (const earlier of page) {
      const delivered = await store.entries(session, { turn: earlier.turn, types: ['delivered'] })
      if (delivered.length > 0) return true
      const { text, outcome } = await readTurnView(store, session, earlier.turn)
      if (text !== '' || outcome?.type !== 'cancelled') return false
    }
    if (page.length < PAGE) return true
    before = page.at(-1)!.ordinal
  }
}
