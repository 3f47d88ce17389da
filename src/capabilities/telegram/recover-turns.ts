import { defined } from '../../platform.ts'
import { type Runtime } from '../../capability.ts'
import { conversationOfSession } from '../../runtime.ts'
import type { TelegramPlace } from './api/sender.ts'
import type { ApprovalMessages } from './approval-messages.ts'
import type { ApprovalNotes } from './approval-notes.ts'
import { placeOf } from './conversation.ts'
import type { FollowedTurn } from './follow-turn.ts'
import type { Replies } from './replies.ts'

/**
 * Takes up what a former process left: turns of chats that go on are followed again, and questions that were answered
 * meanwhile say so.
 */
export async function recoverTurns(parts: {
  readonly runtime: Runtime
  readonly notes: ApprovalNotes
  readonly replies: Replies
  readonly approvals: ApprovalMessages
}): Promise<void> {
  const { runtime, notes, replies, approvals } = parts
  const { store } = runtime
  const running = new Map<string, FollowedTurn>()
  for (const { session, turn } of await store.unfinishedTurns()) {
    const place = await placeOfSession(runtime, session)
    if (place) running.set(turn, { session, turn, place })
  }
  for (const { session, turn, chat, thread } of notes.all()) {
    const followed = { session, turn, place: { chat, ...defined({ thread }) } }
    const row = await store.turn(session, turn)
    if (row?.state === 'queued' || row?.state === 'running') running.set(turn, followed)
    else for (const entry of await decisionsIn(runtime, followed)) approvals.take(followed, entry)
  }
  for (const followed of running.values()) replies.follow(followed)
}

async function placeOfSession({ store }: Runtime, session: string): Promise<TelegramPlace | undefined> {
  const binding = (await conversationOfSession(store, session))?.binding
  return binding?.channel === 'telegram' ? placeOf(binding.conversation) : undefined
}

async function decisionsIn({ store }: Runtime, { session, turn }: FollowedTurn) {
  return store.entries(session, { turn, types: ['approval', 'turn-end'] })
}
