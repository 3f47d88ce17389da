import type { Update } from 'grammy/types'
import { type ChannelContext, RuntimeError } from '../../capability.ts'
import type { Access } from './access.ts'
import { createAlbums } from './albums.ts'
import { backOff } from './api/back-off.ts'
import { TelegramRefusal } from './api/telegram-refusal.ts'
import { isNote } from './approval-notes.ts'
import type { ApprovalMessages } from './approval-messages.ts'
import { createChatQueues } from './chat-queues.ts'
import { endTurns } from './command/stop.ts'
import { conversationOf } from './conversation.ts'
import type { PairingGate } from './pairing-gate.ts'
import { type ParsedUpdate, type ParsedMessage, parseUpdate } from './parsed-update.ts'
import type { Sleep } from './telegram-options.ts'
import type { BotName } from './message-text.ts'
import { telegramTimes } from './telegram-times.ts'
import { bindingOf, commandOf, talk, type TalkParts } from './talk.ts'

/** Takes updates in, and sees to it that each is handled once, in the order of its chat. */
export interface UpdateHandler {
  /**
   * Keeps an update of a chat that may talk: on disk when it resolves. What comes a second time, and what is of no concern,
   * is let go.
   */
  accept(update: Update): Promise<void>
  /** Takes up what a former process kept and did not handle. */
  recover(waiting: readonly { readonly id: string; readonly value: unknown }[]): Promise<void>
  /** Once nothing is on its way. */
  settled(): Promise<void>
}

export interface UpdateHandlerParts extends Omit<TalkParts, 'runtime' | 'bot' | 'endedAhead'> {
  readonly context: ChannelContext
  readonly me: BotName
  readonly access: Access
  readonly pairingGate: PairingGate
  readonly approvals: ApprovalMessages
  readonly sleep: Sleep
  readonly signal: AbortSignal
  /** From 0 to 1. */
  random(): number
}

export function createUpdateHandler(parts: UpdateHandlerParts): UpdateHandler {
  const { context, me, signal, access, pairingGate, approvals } = parts
  const { inbox } = context
  const { runtime } = context
  const queues = createChatQueues((error) => context.warn(`A message from Telegram was not handled: ${String(error)}`))
  const albums = createAlbums(telegramTimes.album, parts.sleep, signal)

  function handle(parsed: ParsedUpdate, isKept: boolean): void {
    const attend = (handled: readonly ParsedUpdate[], work: () => Promise<void>) =>
      attended(isKept ? handled : [], work)
    const key = conversationOf(parsed.place)
    if (parsed.type === 'message') {
      const whole = albums.whole(parsed)
      if (!whole) return
      const endedAhead = stopAhead(parsed)
      return queues.add(key, async () => {
        const messages = await whole
        if (messages) await attend(messages, () => talk(messages, { ...parts, runtime, bot: me.id, endedAhead }))
      })
    }
    // Who answers a question does not wait behind a large file.
    if (parsed.type === 'press')
      return queues.add(`press ${key}`, () => attend([parsed], () => approvals.press(parsed)))
    queues.add(key, () => attend([parsed], () => tell(parsed)))
  }

  /** Whoever says /stop does not wait behind a large file: what runs ends at once, and what comes until then in its order. */
  async function stopAhead(parsed: ParsedMessage): Promise<readonly string[]> {
    if (!parsed.addressed || commandOf([parsed], parsed)?.name !== 'stop') return []
    try {
      return (await access.chat(parsed.place.chat)) ? await endTurns(runtime, bindingOf(parsed.place)) : []
    } catch {
      // It is done again in its order, which says what is wrong.
      return []
    }
  }

  async function tell(parsed: Exclude<ParsedUpdate, { type: 'message' | 'press' }>): Promise<void> {
    const { place } = parsed
    if (parsed.type === 'arrival') {
      if (!(await access.chat(place.chat))) await pairingGate.tell(place)
      return
    }
    if (!(await access.chat(place.chat))) return
    context.warn(
      `The Telegram group ${place.chat} became a supergroup: its id is ${parsed.to} now. Pair it again, or put the new id ` +
        'into channels.telegram.allowedChats.',
    )
  }

  /** Works until it is done. What fails is tried again; what the inbox holds of it stays there when the channel stops. */
  async function attended(kept: readonly ParsedUpdate[], work: () => Promise<void>): Promise<void> {
    // What strangers do, such as to block the bot, is no news for the operator.
    const warn = kept.length > 0 ? context.warn : () => {}
    for (let n = 1; !signal.aborted; n += 1) {
      const fault = await faultOf(work)
      if (fault === undefined || fault instanceof TelegramRefusal) {
        if (fault) warn(`An answer of the bot could not be sent: ${fault.message}`)
        // From the back: an album of which a part is left is known by its first message.
        for (const { update } of kept.toReversed()) await inbox.done(String(update))
        return
      }
      if (signal.aborted) return
      if (!isPassing(fault) && n === MOST_TRIES) {
        return warn(`A message from Telegram waits for the next start: ${fault.message}`)
      }
      if (n === 1) warn(`A message from Telegram could not be handled and is tried again: ${fault.message}`)
      await parts.sleep(backOff(n, parts.random), signal)
    }
  }

  /** An update that is not as the Bot API says must not keep those behind it from coming in. */
  function read(update: Update): ParsedUpdate | undefined {
    try {
      return parseUpdate(update, me)
    } catch (error) {
      context.warn(`An update from Telegram could not be read and is passed over: ${String(error)}`)
      return undefined
    }
  }

  return {
    async accept(update) {
      const parsed = read(update)
      if (!parsed) return
      // Strangers take no room on the disk. Whoever is let in by what stands before is none any more when it is handled.
      const isKept = await access.chat(parsed.place.chat)
      if (!isKept || (await inbox.accept(String(update.update_id), update))) handle(parsed, isKept)
    },
    async recover(waiting) {
      for (const { id, value } of waiting) {
        if (isNote(id)) continue
        const parsed = read(value as Update)
        if (parsed) handle(parsed, true)
        else await inbox.done(id)
      }
    },
    settled: () => queues.settled(),
  }
}

/** What a piece of work rejects with. */
async function faultOf(work: () => Promise<void>): Promise<Error | undefined> {
  try {
    await work()
    return undefined
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error))
  }
}

/** It will go well some time: the chat waits for it, so that its order is kept. */
function isPassing(error: Error): boolean {
  return error instanceof RuntimeError && PASSING.has(error.code)
}

const PASSING: ReadonlySet<string> = new Set(['closing', 'storage', 'storage-full'])

/** Of what nobody can say whether it will ever go well: it must not hold up its chat for ever. */
const MOST_TRIES = 5
