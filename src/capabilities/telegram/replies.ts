import { type ChannelContext, type Reply, UndeliverableError } from '../../capability.ts'
import { citedSources, turnView } from '../../runtime.ts'
import type { Entry } from '../../session.ts'
import type { Access } from './access.ts'
import type { TelegramPlace, TelegramSender } from './api/sender.ts'
import { TelegramRefusal } from './api/telegram-refusal.ts'
import { placeOf } from './conversation.ts'
import { type FollowedTurn, type Follower, followTurn } from './follow-turn.ts'
import { isNextReply } from './is-next-reply.ts'
import { replyText } from './reply-text.ts'
import type { Sleep } from './telegram-options.ts'
import { type ShownReply, shownReply } from './shown-reply.ts'
import { messageParts } from './text/message-parts.ts'

/** Replies in their chats, while they grow and as they are in the end. */
export interface Replies {
  /** Shows a turn while it runs. Does not wait for it. */
  follow(followed: FollowedTurn): void
  /** Puts the reply itself into its chat. */
  deliver(reply: Reply): Promise<{ readonly messageId: string }>
  /** Once nobody follows a turn any more. */
  settled(): Promise<void>
}

export interface RepliesParts {
  readonly context: ChannelContext
  readonly sender: TelegramSender
  readonly access: Access
  readonly sleep: Sleep
  readonly signal: AbortSignal
  /** Told of every entry of a turn that is followed, in order. */
  readonly onEntry: (followed: FollowedTurn, entry: Entry) => void
}

export function createReplies(parts: RepliesParts): Replies {
  const { context, sender, access } = parts
  const { store } = context.runtime
  /** Of turns that are followed, and of those that are not delivered yet: what is known of their messages. */
  const replies = new Map<string, ShownReply>()
  const followers = new Map<string, Follower>()

  function replyOf({ session, turn }: Pick<FollowedTurn, 'session' | 'turn'>, place: TelegramPlace): ShownReply {
    const known = replies.get(turn) ?? shownReply(sender, place, (part) => context.sent(session, turn, part))
    replies.set(turn, known)
    return known
  }

  function follow(followed: FollowedTurn): void {
    const { session, turn, place } = followed
    if (followers.has(turn)) return
    const shown = replyOf(followed, place)
    const follower = followTurn(followed, {
      ...parts,
      runtime: context.runtime,
      shown,
      mayShow: () => access.chat(place.chat),
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
    void follower.over.then(() => leave(followed, follower, shown)).catch(() => {})
  }

  /** Of a turn that ended without a word nothing is delivered: what stood there for the time being goes. */
  async function leave({ session, turn }: FollowedTurn, follower: Follower, shown: ShownReply): Promise<void> {
    await follower.settle()
    followers.delete(turn)
    if (shown.sent.length > 0) {
      const { outcome, text } = await turnView(store, session, turn)
      if (outcome?.type !== 'cancelled' || text !== '') return
      await shown.finish([])
    }
    replies.delete(turn)
  }

  async function put(reply: Reply): Promise<string> {
    const { session, turn, conversation } = reply
    const place = placeOf(conversation)
    if (!place) throw new UndeliverableError(`${conversation} is no chat of Telegram.`)
    if (!(await access.chat(place.chat))) {
      throw new UndeliverableError(`The chat ${place.chat} may not talk to the bot any more.`)
    }
    const shown = replyOf(reply, place)
    shown.adopt(reply.sent)
    const sources = citedSources(await store.entries(session, { turn, types: ['message'] }))
    await shown.finish(messageParts(replyText(reply, sources)))
    return shown.sent[0]!.messageId
  }

  return {
    follow,
    async deliver(reply) {
      await followers.get(reply.turn)?.settle()
      try {
        const messageId = await put(reply)
        replies.delete(reply.turn)
        return { messageId }
      } catch (error) {
        const final = finalFault(error)
        if (!final) throw error
        replies.delete(reply.turn)
        throw final
      }
    },
    async settled() {
      await Promise.all(Array.from(followers.values(), ({ over }) => over))
    },
  }
}

/** What a new try would not mend: the chat is gone, or the bot was thrown out of it. */
function finalFault(error: unknown): UndeliverableError | undefined {
  if (error instanceof UndeliverableError) return error
  if (!(error instanceof TelegramRefusal)) return undefined
  if (error.migratedTo !== undefined) {
    return new UndeliverableError(`The group became a supergroup: its id is ${error.migratedTo} now. Pair it again.`)
  }
  return error.code === 403 || error.code === 400 ? new UndeliverableError(error.message) : undefined
}
