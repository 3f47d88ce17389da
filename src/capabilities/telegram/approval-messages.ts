import { type ChannelContext, type ChannelInbox, RuntimeError, type WaitingApproval } from '../../capability.ts'
import { defined, errorMessage, keyedQueue } from '../../platform.ts'
import type { ApprovalOutcome, Entry } from '../../session.ts'
import type { ChatAccess } from './access.ts'
import type { TelegramSender } from './api/telegram-sender.ts'
import { approvalButtons, approvalText, parseButton } from './approval-text.ts'
import { turnAuthor } from './chat-reference.ts'
import type { FollowedTurn } from './follow-turn.ts'
import type { ParsedPress } from './parsed-update.ts'
import { shorten } from './text/formatted-text.ts'

export type ApprovalMessages = ReturnType<typeof createApprovalMessages>

interface ApprovalMessagesParts {
  readonly context: Pick<ChannelContext, 'runtime' | 'warn'>
  readonly sender: TelegramSender
  readonly access: ChatAccess
  readonly notes: ApprovalNotes
}

type Asked = Extract<Entry, { type: 'approval-request' }>
type Decided = Extract<Entry, { type: 'approval' }>

export function createApprovalMessages({ context, sender, access, notes }: ApprovalMessagesParts) {
  const { runtime } = context
  const names = new Map<number, string>()
  const queue = keyedQueue<string>()

  async function ask({ chat, session, turn }: FollowedTurn, asked: Asked): Promise<void> {
    const { approval, digest } = asked
    if (notes.find(approval) || !(await waitingCall(approval)) || !(await access.chat(chat.id))) return
    const person = await decider(session, turn)
    const closing =
      person === undefined
        ? `Nobody in this chat may decide. At the gateway, run \`foreword approve ${approval}\`.`
        : 'The person whose message began the turn decides here.'
    const { text, shortened: isCut } = approvalText(approval, asked, closing)
    const buttons = approvalButtons(approval, digest, isCut)
    const messageId = await sender.send(chat, text, person === undefined ? {} : { buttons })
    const { id, thread } = chat
    await notes.add({ approval, session, turn, messageId, chat: id, ...defined({ thread }) })
  }

  /** The person who began a turn, where that person has access personally. Nobody else may decide in a chat. */
  async function decider(session: string, turn: string): Promise<number | undefined> {
    const person = (await turnAuthor(runtime.store, session, turn))?.person
    return person !== undefined && (await access.person(person)) ? person : undefined
  }

  async function waitingCall(approval: string): Promise<WaitingApproval | undefined> {
    return (await runtime.approvals()).find((waiting) => waiting.approval === approval)
  }

  /** Replaces the closing line of a question and removes its buttons. */
  async function close(posted: PostedApproval, closing: string): Promise<void> {
    const { approval, session, turn, chat, thread, messageId } = posted
    const entries = await runtime.store.entries(session, { turn, types: ['approval-request'] })
    const asked = entries.find((entry) => entry.type === 'approval-request' && entry.approval === approval)
    if (asked?.type === 'approval-request') {
      const { text } = approvalText(approval, asked, closing)
      await sender.edit({ id: chat, ...defined({ thread }) }, messageId, text)
    }
    await notes.remove(approval)
  }

  async function closeDecided({ approval, decision, by }: Decided): Promise<void> {
    const posted = notes.find(approval)
    if (posted) await close(posted, decisionText(decision, by.startsWith(BY) ? personName(by.slice(BY.length)) : by))
  }

  function personName(id: string): string {
    return names.get(Number(id)) ?? `person ${id}`
  }

  async function closeAll(turn: string): Promise<void> {
    for (const posted of notes.of(turn)) await close(posted, 'The turn ended before a decision was made.')
  }

  async function answer({ data, chat, person }: ParsedPress): Promise<string | undefined> {
    const pressed = parseButton(data)
    if (!pressed) return undefined
    const waiting = await waitingCall(pressed.approval)
    if (!waiting || !waiting.digest.startsWith(pressed.digest))
      return 'This call was already decided, or its turn has ended.'
    if (notes.find(pressed.approval)?.chat !== chat.id) return 'This question belongs to another chat.'
    if (!(await access.chat(chat.id))) return 'This chat no longer has access to the bot.'
    const { session, turn, approval, digest } = waiting
    if ((await decider(session, turn)) !== person.id)
      return 'Only the person whose message began the turn may decide here.'
    const mayAllow = !approvalText(approval, waiting, '').shortened
    if (pressed.decision !== 'deny' && !mayAllow) return 'This call is too long to allow from here.'
    names.set(person.id, person.name)
    try {
      await runtime.decide(approval, {
        digest,
        decision: pressed.decision === 'deny' ? { type: 'deny' } : { type: 'approve', scope: pressed.decision },
        by: BY + person.id,
      })
      return pressed.decision === 'deny' ? 'Denied.' : 'Allowed.'
    } catch (error) {
      if (error instanceof RuntimeError) return shorten(error.message, LONGEST_ANSWER)
      throw error
    }
  }

  return {
    onEntry(followed: FollowedTurn, entry: Entry): void {
      const add = (work: () => Promise<void>) =>
        void queue
          .add(followed.turn, work)
          .catch((error: unknown) => context.warn(`Telegram could not show a pending approval: ${errorMessage(error)}`))
      if (entry.type === 'approval-request') add(() => ask(followed, entry))
      if (entry.type === 'approval') add(() => closeDecided(entry))
      if (entry.type === 'turn-end') add(() => closeAll(followed.turn))
    },

    /** Handles a pressed button. */
    async press(press: ParsedPress): Promise<void> {
      await sender.answerButton(press.callback, await answer(press))
    },
    idle: queue.idle,
  }
}

/** Marks a decision that was made in Telegram. The id of the person follows. */
const BY = 'telegram:'

/** Characters of the note for the person who pressed a button. The Bot API accepts 200. */
const LONGEST_ANSWER = 200

/** `by`: the name of a person, or the client through which the decision came. */
function decisionText(decision: ApprovalOutcome, by: string): string {
  if (decision.type === 'withdraw') return `No decision is needed any more. ${decision.reason}`
  if (decision.type === 'deny') return `Denied by ${by}.`
  return `Allowed ${decision.scope === 'once' ? 'once' : 'in this session'} by ${by}.`
}

/** A message that asks about a call. Stored in the inbox, so its keys stay. */
interface PostedApproval {
  readonly approval: string
  readonly session: string
  readonly turn: string
  readonly chat: number
  readonly thread?: number
  readonly messageId: number
}

/** Over restarts, no call is asked about twice. */
export type ApprovalNotes = ReturnType<typeof createApprovalNotes>

export function createApprovalNotes(inbox: ChannelInbox, waiting: Awaited<ReturnType<ChannelInbox['waiting']>>) {
  const notes = new Map<string, PostedApproval>()
  for (const { id, value } of waiting)
    if (isApprovalNote(id)) notes.set(id.slice(PREFIX.length), value as PostedApproval)
  return {
    find: (approval: string) => notes.get(approval),
    of: (turn: string) => [...notes.values()].filter((posted) => posted.turn === turn),
    all: () => [...notes.values()],
    async add(posted: PostedApproval): Promise<void> {
      notes.set(posted.approval, posted)
      await inbox.accept(PREFIX + posted.approval, posted)
    },
    async remove(approval: string): Promise<void> {
      notes.delete(approval)
      await inbox.done(PREFIX + approval)
    },
  }
}

const PREFIX = 'approval/'

export function isApprovalNote(id: string): boolean {
  return id.startsWith(PREFIX)
}
