import type { Update } from 'grammy/types'
import { type ChannelDesk, RuntimeError } from '../../runtime.ts'
import type { Access } from './access.ts'
import { createAlbums } from './albums.ts'
import { backOff } from './api/back-off.ts'
import { TelegramRefusal } from './api/telegram-refusal.ts'
import { isNote } from './approval-notes.ts'
import type { ApprovalDesk } from './approval-desk.ts'
import { createChatQueues } from './chat-queues.ts'
import { endTurns } from './command/stop.ts'
import { conversationOf } from './conversation.ts'
import type { Doorkeeper } from './doorkeeper.ts'
import { type Heard, type HeardMessage, heardIn } from './heard.ts'
import type { Rest } from './rest.ts'
import type { BotName } from './spoken-text.ts'
import { telegramTimes } from './telegram-times.ts'
import { bindingOf, commandOf, talk, type TalkParts } from './talk.ts'

/** Takes updates in, and sees to it that each is handled once, in the order of its chat. */
export interface Reception {
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

export interface ReceptionParts extends Omit<TalkParts, 'runtime' | 'bot' | 'endedAhead'> {
  readonly desk: ChannelDesk
  readonly me: BotName
  readonly access: Access
  readonly doorkeeper: Doorkeeper
  readonly approvals: ApprovalDesk
  readonly rest: Rest
  readonly signal: AbortSignal
  /** From 0 to 1. */
  random(): number
}

export function createReception(parts: ReceptionParts): Reception {
  const { desk, me, signal, access, doorkeeper, approvals } = parts
  const { inbox, runtime } = desk
  const queues = createChatQueues((error) => desk.warn(`A message from Telegram was not handled: ${String(error)}`))
  const albums = createAlbums(telegramTimes.album, parts.rest, signal)

  function handle(heard: Heard, isKept: boolean): void {
    const attend = (handled: readonly Heard[], work: () => Promise<void>) => attended(isKept ? handled : [], work)
    const key = conversationOf(heard.place)
    if (heard.type === 'message') {
      const whole = albums.whole(heard)
      if (!whole) return
      const endedAhead = stopAhead(heard)
      return queues.add(key, async () => {
        const messages = await whole
        if (messages) await attend(messages, () => talk(messages, { ...parts, runtime, bot: me.id, endedAhead }))
      })
    }
    // Who answers a question does not wait behind a large file.
    if (heard.type === 'press') return queues.add(`press ${key}`, () => attend([heard], () => approvals.press(heard)))
    queues.add(key, () => attend([heard], () => tell(heard)))
  }

  /** Whoever says /stop does not wait behind a large file: what runs ends at once, and what comes until then in its order. */
  async function stopAhead(heard: HeardMessage): Promise<readonly string[]> {
    if (!heard.addressed || commandOf([heard], heard)?.name !== 'stop') return []
    try {
      return (await access.chat(heard.place.chat)) ? await endTurns(runtime, bindingOf(heard.place)) : []
    } catch {
      // It is done again in its order, which says what is wrong.
      return []
    }
  }

  async function tell(heard: Exclude<Heard, { type: 'message' | 'press' }>): Promise<void> {
    const { place } = heard
    if (heard.type === 'arrival') {
      if (!(await access.chat(place.chat))) await doorkeeper.tell(place)
      return
    }
    if (!(await access.chat(place.chat))) return
    desk.warn(
      `The Telegram group ${place.chat} became a supergroup: its id is ${heard.to} now. Pair it again, or put the new id ` +
        'into channels.telegram.allowedChats.',
    )
  }

  /** Works until it is done. What fails is tried again; what the inbox holds of it stays there when the channel stops. */
  async function attended(kept: readonly Heard[], work: () => Promise<void>): Promise<void> {
    // What strangers do, such as to block the bot, is no news for the operator.
    const warn = kept.length > 0 ? desk.warn : () => {}
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
      await parts.rest(backOff(n, parts.random), signal)
    }
  }

  /** An update that is not as the Bot API says must not keep those behind it from coming in. */
  function read(update: Update): Heard | undefined {
    try {
      return heardIn(update, me)
    } catch (error) {
      desk.warn(`An update from Telegram could not be read and is passed over: ${String(error)}`)
      return undefined
    }
  }

  return {
    async accept(update) {
      const heard = read(update)
      if (!heard) return
      // Strangers take no room on the disk. Whoever is let in by what stands before is none any more when it is handled.
      const isKept = await access.chat(heard.place.chat)
      if (!isKept || (await inbox.accept(String(update.update_id), update))) handle(heard, isKept)
    },
    async recover(waiting) {
      for (const { id, value } of waiting) {
        if (isNote(id)) continue
        const heard = read(value as Update)
        if (heard) handle(heard, true)
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
