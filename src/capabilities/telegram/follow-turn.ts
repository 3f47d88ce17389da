import { asSentence, defined } from '../../platform.ts'
import { exactLine, messageText } from '../../context.ts'
import type { Runtime, SessionEvent, SentPart, Reply } from '../../capability.ts'
import type { Entry, CitationSource } from '../../session.ts'
import type { TelegramSender } from './api/telegram-sender.ts'
import { type ChatReference, isPersonal } from './chat-reference.ts'
import {
  LONGEST_MESSAGE,
  messageParts,
  type FormattedText,
  joinFormatted,
  plainText,
  styledText,
  isBlankMessage,
} from './text/formatted-text.ts'
import { type Sleep, telegramTimes } from './timing.ts'
import { outcomeNotice } from '../../runtime.ts'
import { formatMarkdown } from './text/markdown.ts'

export type Follower = ReturnType<typeof followTurn>

export interface FollowedTurn {
  readonly session: string
  readonly turn: string
  readonly chat: ChatReference
}

interface FollowParts {
  readonly runtime: Pick<Runtime, 'events'>
  readonly sender: TelegramSender
  readonly shown: ReplyMessages
  readonly sleep: Sleep
  readonly signal: AbortSignal
  /** Called first: whether there is something to follow. */
  readonly begin: () => Promise<boolean>
  readonly onEntry: (entry: Entry) => void
  /** Whether the chat still has access. */
  readonly mayShow: () => Promise<boolean>
  /** Whether all earlier replies are in the chat. Called until they are. */
  readonly isNext: () => Promise<boolean>
}

/** Shows the typing indicator, and lets an interim reply grow, not faster than people read and Telegram allows. */
export function followTurn({ session, turn, chat }: FollowedTurn, parts: FollowParts) {
  const { runtime, sender, shown, sleep } = parts
  const ending = new AbortController()
  const signal = AbortSignal.any([parts.signal, ending.signal])
  const everyMs = isPersonal(chat.id) ? telegramTimes.personalEdit : telegramTimes.groupEdit
  let growing: Growing = { text: '' }
  let waits = false
  let changed = false
  let writing: Promise<void> | undefined
  let canGrow = true
  let hasTurn = false

  async function follow(): Promise<void> {
    if (!(await parts.begin())) return
    void type().catch(() => {})
    for await (const event of runtime.events(session, { turn, signal })) {
      if (event.type === 'entry') {
        parts.onEntry(event.entry)
        waits = waitsForPerson(event.entry, waits)
        if (event.entry.type === 'turn-end') ending.abort()
      }
      const grown = grow(growing, event)
      if (grown === growing || !canGrow) continue
      growing = grown
      changed = true
      // A failed interim update loses nothing: the final reply is delivered and reports what is wrong.
      writing ??= write()
        .catch(() => (canGrow = false))
        .then(() => (writing = undefined))
    }
  }

  async function write(): Promise<void> {
    await sleep(shown.sent.length === 0 ? telegramTimes.firstWords : everyMs, signal)
    while (changed && !signal.aborted) {
      if (!(await isNext())) {
        await sleep(telegramTimes.firstWords, signal)
        continue
      }
      changed = false
      const texts = replyParts(growingText(growing))
      if (texts.length > 0 && (await parts.mayShow())) await shown.grow(texts)
      await sleep(everyMs, signal)
    }
  }

  async function isNext(): Promise<boolean> {
    hasTurn ||= await parts.isNext()
    return hasTurn
  }

  async function type(): Promise<void> {
    while (!signal.aborted) {
      if (!waits && (await parts.mayShow())) await sender.typing(chat)
      await sleep(telegramTimes.typing, signal)
    }
  }

  /** A message that is on its way arrives and is put on record: the next process would send its words again. */
  async function end(): Promise<void> {
    ending.abort()
    await writing
  }

  return {
    /** Resolves once the turn is over or no longer followed, and no message is on its way. Never rejects. */
    over: follow()
      .catch(() => {})
      .then(end),

    /** Stops the growing. Resolves once no edit is under way. */
    settle: end,
  }
}

interface Growing {
  readonly text: string
  readonly call?: string
  readonly tool?: string
  /** Why the turn waits for the provider, in words. */
  readonly wait?: string
}

/** A shorter wait for a provider is not shown, ms. */
const LEAST_SHOWN_MS = 2_000

function waitText({ message, waitMs }: Extract<SessionEvent, { type: 'retry' }>): string {
  return `${asSentence(exactLine(message))} Retrying in ${Math.round(waitMs / 1000)} s. Cancel with /stop.`
}

function grow(growing: Growing, event: SessionEvent): Growing {
  if (event.type === 'text-delta') {
    const before = event.call === growing.call ? growing.text : ''
    return { text: before + event.text, call: event.call }
  }
  if (event.type === 'retry') return { ...growing, ...(event.waitMs < LEAST_SHOWN_MS ? {} : { wait: waitText(event) }) }
  if (event.type !== 'entry') return growing
  const { entry } = event
  if (entry.type === 'tool-start') {
    const { wait: _over, ...sleep } = growing
    return { ...sleep, tool: entry.toolName }
  }
  if (entry.type !== 'message' || entry.message.role !== 'assistant') return growing
  const text = messageText(entry.message)
  if (text.trim() === '' || (text === growing.text && growing.tool === undefined)) return growing
  return { text, ...defined({ call: entry.call }) }
}

function waitsForPerson(entry: Entry, waits: boolean): boolean {
  if (entry.type === 'approval-request') return true
  if (entry.type === 'approval' || entry.type === 'tool-end' || entry.type === 'turn-end') return false
  return waits
}

/** The messages of a chat with the parts of one reply. Only one call may run at a time. */
export type ReplyMessages = ReturnType<typeof createReplyMessages>

interface ShownMessage {
  messageId: number
  content: string | undefined
  /** Whether the log records it. */
  noted: boolean
  /** Whether it says that it may be there twice. */
  isAgain: boolean
}

/** What the log is asked and told of the messages of a reply. */
interface ReplyNotes {
  /** Right before a part is sent: whether a former process may have sent it. */
  readonly sending: (part: number) => Promise<boolean>
  /** On disk before the next one is sent. */
  readonly sent: (part: SentPart) => Promise<void>
}

export function createReplyMessages(sender: TelegramSender, chat: ChatReference, notes: ReplyNotes) {
  /** Index n is part n + 1. */
  const shown: (ShownMessage | undefined)[] = []

  async function send(index: number, part: FormattedText): Promise<void> {
    let isAgain = false
    const messageId = await sender.send(chat, part, {
      async before() {
        isAgain = await notes.sending(index + 1)
        return marked(part, isAgain)
      },
    })
    shown[index] = { messageId, content: contentKey(part), noted: false, isAgain }
    await noteDown(index, shown[index])
  }

  async function noteDown(index: number, there: ShownMessage): Promise<void> {
    await notes.sent({ part: index + 1, messageId: String(there.messageId) })
    there.noted = true
  }

  async function change(index: number, part: FormattedText, droppable: boolean): Promise<void> {
    const there = shown[index]!
    // The log could not be written when the message was sent.
    if (!there.noted) await noteDown(index, there)
    if (there.content === contentKey(part)) return
    const outcome = await sender.edit(chat, there.messageId, marked(part, there.isAgain), { droppable })
    if (outcome === 'gone' && !droppable) return send(index, part)
    if (outcome === 'edited' || outcome === 'same') there.content = contentKey(part)
  }

  async function show(parts: readonly FormattedText[], droppable: boolean): Promise<void> {
    for (const [index, part] of parts.entries()) {
      if (shown[index]) await change(index, part, droppable)
      else await send(index, part)
    }
  }

  return {
    /** Shows the reply so far: sends missing parts, and edits changed ones where that is possible at once. */
    grow: (parts: readonly FormattedText[]) => show(parts, true),
    /** Shows the final reply: edits, sends and removes messages until the chat has exactly these parts. */
    async finish(parts: readonly FormattedText[]) {
      await show(parts, false)
      for (let index = shown.length - 1; index >= parts.length; index -= 1) {
        const left = shown[index]
        if (left) await sender.remove(chat, left.messageId)
        shown.length = index
      }
    },
    adopt(sent: readonly SentPart[]) {
      for (const { part, messageId } of sent) {
        const id = Number(messageId)
        if (Number.isSafeInteger(id))
          shown[part - 1] ??= { messageId: id, content: undefined, noted: true, isAgain: false }
      }
    },
    get sent() {
      return shown.flatMap((there, index) => (there ? [{ part: index + 1, messageId: String(there.messageId) }] : []))
    },
  }
}

/**
 * A part that a former process was about to send, and that is not known to be there. One that is lost would be worse than one that is
 * there twice, and who reads it twice learns why.
 */
function marked(part: FormattedText, isAgain: boolean): FormattedText {
  return isAgain ? joinFormatted([styledText(AGAIN, 'italic'), part], '\n\n') : part
}

const AGAIN = 'Sent again after an interruption, in case the first one did not arrive:'

/** The messages of a reply: each has room for a mark. */
export const replyParts = (text: FormattedText): readonly FormattedText[] =>
  messageParts(text, LONGEST_MESSAGE - AGAIN.length - 2)

function contentKey(part: FormattedText): string {
  return JSON.stringify([part.text, part.entities])
}

export function replyText(
  { text, outcome }: Pick<Reply, 'text' | 'outcome'>,
  sources: readonly CitationSource[],
): FormattedText {
  const said = formatMarkdown(text)
  const ending = endingText(outcome)
  const whole = joinFormatted([said, plainText(sources.map(sourceLine).join('\n')), ending], '\n\n')
  return isBlankMessage(whole.text) ? styledText('The answer is empty.', 'italic') : whole
}

function growingText({ text, tool, wait }: Growing): FormattedText {
  const action = wait ?? (tool === undefined ? undefined : `running ${exactLine(tool)}`)
  const note = action === undefined ? plainText('') : styledText(`… ${action}`, 'italic')
  return joinFormatted([formatMarkdown(text), note], '\n\n')
}

function endingText(outcome: Reply['outcome']): FormattedText {
  const notice = outcomeNotice(outcome)
  if (notice === undefined) return plainText('')
  return styledText(outcome.type === 'failed' ? `Failed: ${notice}` : notice, 'italic')
}

function sourceLine({ citation, title, url, page, headings = [] }: CitationSource): string {
  const place = page === undefined ? headings.at(-1) : `page ${page}`
  const parts = [title, place, url === title ? undefined : url].filter((part) => part !== undefined)
  return `[${citation}] ${parts.map(exactLine).join(', ')}`
}
