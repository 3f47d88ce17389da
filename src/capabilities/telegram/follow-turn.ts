import { defined } from '../../platform.ts'
import { exactLine, messageText } from '../../context.ts'
import type { Runtime, SessionEvent } from '../../capability.ts'
import type { Entry } from '../../session.ts'
import type { TelegramPlace, TelegramSender } from './api/sender.ts'
import { isPersonal } from './conversation.ts'
import { growingText } from './reply-text.ts'
import type { Sleep } from './telegram-options.ts'
import type { ShownReply } from './shown-reply.ts'
import { telegramTimes } from './telegram-times.ts'
import { messageParts } from './text/message-parts.ts'

/** Shows a turn while it runs. */
export interface Follower {
  /** Ends the growing. Resolves once nothing of it is on its way. */
  settle(): Promise<void>
  /** Once the turn is over, or nobody follows it any more. Never rejects. */
  readonly over: Promise<void>
}

export interface FollowedTurn {
  readonly session: string
  readonly turn: string
  readonly place: TelegramPlace
}

export interface FollowParts {
  readonly runtime: Pick<Runtime, 'events'>
  readonly sender: TelegramSender
  readonly shown: ShownReply
  readonly sleep: Sleep
  readonly signal: AbortSignal
  /** Asked before anything else: whether there is something to follow. */
  readonly begin: () => Promise<boolean>
  /** Told of every entry of the turn, in order. */
  readonly onEntry: (entry: Entry) => void
  /** Whether anything may still be shown there. */
  readonly mayShow: () => Promise<boolean>
  /** Whether it is this turn's time to speak. Asked until it is. */
  readonly isNext: () => Promise<boolean>
}

/**
 * Says that somebody is typing, and lets the reply grow in its messages: not before the first words, and not faster than
 * people read and Telegram likes. What grows is for the time being: the reply itself comes from the log.
 */
export function followTurn({ session, turn, place }: FollowedTurn, parts: FollowParts): Follower {
  const { runtime, sender, shown, sleep } = parts
  const ending = new AbortController()
  const signal = AbortSignal.any([parts.signal, ending.signal])
  const everyMs = isPersonal(place.chat) ? telegramTimes.personalEdit : telegramTimes.groupEdit
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
      // What cannot be shown on the way is no loss: the reply itself is delivered, and says what is wrong.
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
      const texts = messageParts(growingText(growing.text, doing(growing)))
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
      if (!waits && (await parts.mayShow())) await sender.typing(place)
      await sleep(telegramTimes.typing, signal)
    }
  }

  const over = follow()
    .catch(() => {})
    .then(() => ending.abort())
  return {
    over,
    async settle() {
      ending.abort()
      await writing
    },
  }
}

/** What a reply is about to become. */
interface Growing {
  readonly text: string
  /** The call that says the text. */
  readonly call?: string
  /** A tool that runs. */
  readonly tool?: string
  /** The provider is waited for, in words. */
  readonly wait?: string
}

/** A shorter wait for a provider is not worth a message, ms. */
const LEAST_TOLD_MS = 2_000

function waitText({ message, waitMs }: Extract<SessionEvent, { type: 'retry' }>): string {
  const wrong = exactLine(message)
  const when = `Trying again in ${Math.round(waitMs / 1000)} s.`
  return `${/[.!?]$/.test(wrong) ? wrong : `${wrong}.`} ${when} /stop ends it.`
}

function doing({ tool, wait }: Growing): string | undefined {
  return wait ?? (tool === undefined ? undefined : `runs ${exactLine(tool)}`)
}

function grow(growing: Growing, event: SessionEvent): Growing {
  if (event.type === 'text-delta') {
    const before = event.call === growing.call ? growing.text : ''
    return { text: before + event.text, call: event.call }
  }
  if (event.type === 'retry') return { ...growing, ...(event.waitMs < LEAST_TOLD_MS ? {} : { wait: waitText(event) }) }
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
