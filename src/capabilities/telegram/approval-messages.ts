import { type ChannelContext, type ChannelInbox, RuntimeError, type WaitingApproval } from '../../capability.ts'
import { defined, errorMessage, keyedQueue } from '../../platform.ts'
import type { ApprovalOutcome, Entry, ApprovalQuestion } from '../../session.ts'
import type { ChatAccess } from './access.ts'
import type { TelegramSender, TelegramButtons } from './api/telegram-sender.ts'
import { turnAuthor } from './chat-reference.ts'
import type { FollowedTurn } from './follow-turn.ts'
import type { ParsedPress } from './parsed-update.ts'
import { shorten, type FormattedText, joinFormatted, plainText, styledText } from './text/formatted-text.ts'
import { argvText, exactLine, exactLines, foreignTextSentence, lookAlikes } from '../../context.ts'

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
    const { approval } = asked
    if (notes.find(approval) || !(await waitingCall(approval)) || !(await access.chat(chat.id))) return
    const person = await decider(session, turn)
    const closing =
      person === undefined
        ? `Nobody in this chat may decide. At the gateway, run \`foreword approve ${approval}\`.`
        : 'The person whose message began the turn decides here.'
    const { text, shortened: isCut } = approvalText(approval, asked, closing)
    const buttons = approvalButtons(asked, isCut)
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
  return `Allowed ${SCOPES[decision.scope]} by ${by}.`
}

const SCOPES = { once: 'once', session: 'in this session', tool: 'for this tool in this session' } as const

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

interface ShownApproval {
  readonly text: FormattedText
  /** Not all of the call fits. Then it can only be denied in the chat. */
  readonly shortened: boolean
}

/** The most of a call that one message shows, characters. */
const MOST_CALL_CHARS = 3_000

/** The most of the sentence about what was read before, characters. */
const MOST_READ_CHARS = 700

export function approvalText(
  approval: string,
  { request, digest, read = [], held }: Pick<WaitingApproval, 'request' | 'digest' | 'read' | 'held'>,
  closing: string,
): ShownApproval {
  if (held) return { text: heldText(held, closing), shortened: false }
  const whole = callText(request)
  const isCut = whole.length > MOST_CALL_CHARS
  const shown = isCut ? whole.slice(0, MOST_CALL_CHARS).toWellFormed() : whole
  const notice = isCut
    ? `Only ${shown.length} of ${whole.length} characters are shown. To read and allow the whole call, run ` +
      `\`foreword approve ${approval}\`.`
    : ''
  const text = joinFormatted(
    [
      joinFormatted(
        [plainText('A tool call needs approval:'), styledText(exactLine(request.tool).slice(0, 100), 'bold')],
        ' ',
      ),
      styledText(shown, 'pre'),
      plainText(notice),
      plainText(alikeText(request)),
      plainText(read.length === 0 ? '' : shorten(foreignTextSentence(read), MOST_READ_CHARS)),
      joinFormatted([plainText('Digest'), styledText(digest.slice(0, DIGEST_SHOWN), 'code')], ' '),
      plainText(closing),
    ],
    '\n',
  )
  return { text, shortened: isCut }
}

function heldText({ sentence, raise }: NonNullable<WaitingApproval['held']>, closing: string): FormattedText {
  const lines = ['A call to a model needs approval:', sentence, `For the session: ${raise}`, closing]
  return joinFormatted(lines.map(plainText), '\n')
}

/** Characters of a digest in a message and in a button. */
const DIGEST_SHOWN = 12

function callText({ input, argv, command, folder, diff, facts = {} }: ApprovalQuestion): string {
  const lines: string[] = []
  if (argv !== undefined) lines.push(argvText(argv))
  if (command !== undefined) lines.push(exactLines(command))
  if (argv === undefined && command === undefined) lines.push(exactLines(JSON.stringify(input, undefined, 2) ?? ''))
  if (folder !== undefined) lines.push(`in ${exactLine(folder)}`)
  for (const [name, fact] of Object.entries(facts)) {
    lines.push(exactLine(`${name}: ${typeof fact === 'string' ? fact : JSON.stringify(fact)}`))
  }
  if (diff !== undefined) lines.push(exactLines(diff))
  return lines.join('\n')
}

/** A warning about letters that look like others. */
function alikeText({ argv = [], command = '', folder = '' }: ApprovalQuestion): string {
  const alike = lookAlikes([...argv, command, folder].join(' '))
  return alike.length === 0 ? '' : `Warning: these letters only look like others: ${shorten(alike.join(', '), 200)}`
}

type ButtonDecision = 'once' | 'session' | 'tool' | 'deny'

interface PressedButton {
  readonly approval: string
  /** First characters of the digest of the shown call. */
  readonly digest: string
  readonly decision: ButtonDecision
}

/** A call that is not shown whole can only be denied. */
export function approvalButtons(
  { approval, digest, grant }: Pick<WaitingApproval, 'approval' | 'digest' | 'grant'>,
  isCut: boolean,
): TelegramButtons {
  const button = (text: string, decision: ButtonDecision) => ({
    text,
    data: `${decision}.${digest.slice(0, DIGEST_SHOWN)}.${approval}`,
  })
  const allowing = [button('Allow once', 'once'), button('Allow in this session', 'session')]
  const forTool = grant === undefined ? [] : [[button('Allow this tool in this session', 'tool')]]
  return [...(isCut ? [] : [allowing, ...forTool]), [button('Deny', 'deny')]]
}

export function parseButton(data: string): PressedButton | undefined {
  const found = /^(once|session|tool|deny)\.([0-9a-f]{12})\.([\w-]{1,40})$/.exec(data)
  if (!found) return undefined
  return { decision: found[1] as ButtonDecision, digest: found[2]!, approval: found[3]! }
}
