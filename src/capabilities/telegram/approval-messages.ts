import { defined } from '../../platform.ts'
import { type ChannelContext, RuntimeError, type WaitingApproval } from '../../capability.ts'
import type { ApprovalDecision, Entry } from '../../session.ts'
import type { Access } from './access.ts'
import type { TelegramSender } from './api/sender.ts'
import { type ApprovalNotes, type PostedApproval } from './approval-notes.ts'
import { approvalButtons, approvalText, type ButtonDecision, pressedButton } from './approval-text.ts'
import { askerOf } from './asker.ts'
import { createChatQueues } from './chat-queues.ts'
import type { FollowedTurn } from './follow-turn.ts'
import type { ParsedPress } from './parsed-update.ts'
import { shortened } from './shown-text.ts'

/** Asks chats about calls that wait for a person, and takes their answers. */
export interface ApprovalMessages {
  /** Told of every entry of a turn that is followed, in order. Does not wait for anything. */
  take(followed: FollowedTurn, entry: Entry): void
  /** Somebody pressed a button. */
  press(press: ParsedPress): Promise<void>
  /** Once nothing is on its way. */
  settled(): Promise<void>
}

export interface ApprovalMessagesParts {
  readonly context: Pick<ChannelContext, 'runtime' | 'warn'>
  readonly sender: TelegramSender
  readonly access: Access
  readonly notes: ApprovalNotes
}

type Asked = Extract<Entry, { type: 'approval-request' }>
type Decided = Extract<Entry, { type: 'approval' }>

export function createApprovalMessages({ context, sender, access, notes }: ApprovalMessagesParts): ApprovalMessages {
  const { runtime } = context
  /** People who pressed a button lately, by their ids. */
  const names = new Map<number, string>()
  const queues = createChatQueues((error) =>
    context.warn(`A call that waits could not be shown in Telegram: ${String(error)}`),
  )

  async function ask({ place, session, turn }: FollowedTurn, { approval, request, digest }: Asked): Promise<void> {
    if (notes.find(approval) || !(await waitingCall(approval)) || !(await access.chat(place.chat))) return
    const person = await decider(session, turn)
    const closing = person === undefined ? elsewhere(approval) : 'Whoever asked for it may answer here.'
    const { text, shortened: isCut } = approvalText(approval, { request, digest }, closing)
    const buttons = approvalButtons(approval, digest, isCut)
    const messageId = await sender.send(place, text, person === undefined ? {} : { buttons })
    await notes.add({ approval, session, turn, messageId, ...place })
  }

  /** The person who began a turn, where that person is known by themselves: nobody else decides in a chat. */
  async function decider(session: string, turn: string): Promise<number | undefined> {
    const person = (await askerOf(runtime.store, session, turn))?.person
    return person !== undefined && (await access.person(person)) ? person : undefined
  }

  async function waitingCall(approval: string): Promise<WaitingApproval | undefined> {
    return (await runtime.approvals()).find((waiting) => waiting.approval === approval)
  }

  /** What was asked says from now on how it was answered, and its buttons are gone. */
  async function close(posted: PostedApproval, closing: string): Promise<void> {
    const { approval, session, turn, chat, thread, messageId } = posted
    const entries = await runtime.store.entries(session, { turn, types: ['approval-request'] })
    const asked = entries.find((entry) => entry.type === 'approval-request' && entry.approval === approval)
    if (asked?.type === 'approval-request') {
      const { text } = approvalText(approval, asked, closing)
      await sender.edit({ chat, ...defined({ thread }) }, messageId, text)
    }
    await notes.remove(approval)
  }

  async function closeDecided({ approval, decision, by }: Decided): Promise<void> {
    const posted = notes.find(approval)
    if (posted) await close(posted, decidedText(decision, by.startsWith(BY) ? nameOf(by.slice(BY.length)) : by))
  }

  function nameOf(id: string): string {
    return names.get(Number(id)) ?? `the person ${id}`
  }

  async function closeAll(turn: string): Promise<void> {
    for (const posted of notes.of(turn)) await close(posted, 'Nobody decided before the turn ended.')
  }

  async function answer({ data, place, person }: ParsedPress): Promise<string | undefined> {
    const pressed = pressedButton(data)
    if (!pressed) return undefined
    const waiting = await waitingCall(pressed.approval)
    if (!waiting || !waiting.digest.startsWith(pressed.digest)) return 'This was decided already, or is over.'
    if (notes.find(pressed.approval)?.chat !== place.chat) return 'This call was not asked about here.'
    if (!(await access.chat(place.chat))) return 'This chat may not talk to the bot any more.'
    const { session, turn, approval, digest, request } = waiting
    if ((await decider(session, turn)) !== person.id) return 'Only the person who asked for it may answer here.'
    const mayAllow = !approvalText(approval, { request, digest }, '').shortened
    if (pressed.decision !== 'deny' && !mayAllow) return 'It is too long to be allowed from here.'
    names.set(person.id, person.name)
    try {
      await runtime.decide(approval, { digest, decision: decisionOf(pressed.decision), by: BY + person.id })
      return pressed.decision === 'deny' ? 'Denied.' : 'Allowed.'
    } catch (error) {
      if (error instanceof RuntimeError) return shortened(error.message, LONGEST_ANSWER)
      throw error
    }
  }

  return {
    take(followed, entry) {
      if (entry.type === 'approval-request') queues.add(followed.turn, () => ask(followed, entry))
      if (entry.type === 'approval') queues.add(followed.turn, () => closeDecided(entry))
      if (entry.type === 'turn-end') queues.add(followed.turn, () => closeAll(followed.turn))
    },
    async press(press) {
      await sender.answerButton(press.callback, await answer(press))
    },
    settled: () => queues.settled(),
  }
}

/** How a decision says that it was taken here, before the id of the person. */
const BY = 'telegram:'

/** Characters of the note that a person sees who pressed a button: the Bot API takes 200. */
const LONGEST_ANSWER = 200

function decisionOf(decision: ButtonDecision): ApprovalDecision {
  return decision === 'deny' ? { type: 'deny' } : { type: 'approve', scope: decision }
}

function elsewhere(approval: string): string {
  return `Nobody here may answer: \`foreword approve ${approval}\` at the gateway decides.`
}

/** `by`: the name of a person, or the door through which somebody decided. */
function decidedText(decision: ApprovalDecision, by: string): string {
  if (decision.type === 'deny') return `Denied by ${by}.`
  return `Allowed ${decision.scope === 'once' ? 'once' : 'in this session'} by ${by}.`
}
