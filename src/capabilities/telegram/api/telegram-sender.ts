import { defined } from '../../../platform.ts'
import { setTimeout as pause } from 'node:timers/promises'
import type { Api } from 'grammy'
import type { MessageEntity } from 'grammy/types'
import type { FormattedText } from '../text/formatted-text.ts'
import { backOff } from './back-off.ts'
import { chatLines } from './chat-lines.ts'
import { faultTeller } from './fault-teller.ts'
import type { EditOutcome, TelegramButtons, TelegramPlace, TelegramSender } from './sender.ts'
import { type TelegramFault, telegramFault } from './telegram-fault.ts'
import { TelegramRefusal } from './telegram-refusal.ts'

export interface TelegramSenderOptions {
  readonly api: Api
  /** Ends every wait and every call. */
  readonly signal: AbortSignal
  /** Whether Telegram fetches pages that a message links to. It does not unless told so. */
  readonly linkPreviews?: boolean
  /** Sentences for the operator, without the token. */
  warn(text: string): void
  /** ms. */
  readonly now?: () => number
  readonly sleep?: (ms: number, signal: AbortSignal) => Promise<void>
  /** From 0 to 1. */
  readonly random?: () => number
}

type MessageText = { text: string; entities?: MessageEntity[] }

/** The person who pressed a button waits no longer than this, ms. */
const LONGEST_ANSWER_WAIT = 30_000

/** A sender over grammY, over `telegramApi`. */
export function telegramSender(options: TelegramSenderOptions): TelegramSender {
  const { api, signal, warn, linkPreviews = false, now = Date.now, random = Math.random } = options
  const sleep = options.sleep ?? ((ms, ending) => pause(ms, undefined, { signal: ending }))
  // The types of grammY know another AbortSignal than Node's.
  const ending = signal as unknown as Parameters<Api['raw']['sendMessage']>[1]
  const world = { now, sleep, random, signal, tried: faultTeller(warn) }
  const lineOf = chatLines(world)
  const preview = { link_preview_options: { is_disabled: !linkPreviews } }

  function inLine<T>(
    method: string,
    to: TelegramPlace,
    call: { run(): Promise<T>; subject?: string; droppable?: boolean },
  ) {
    return lineOf(to.chat).add({ ...call, faultOf: (error) => telegramFault(method, error, api.token) })
  }

  /** Formatting that Telegram cannot read is no reason to say nothing. */
  async function withEntities<T>(
    method: string,
    part: FormattedText,
    call: (text: MessageText) => Promise<T>,
  ): Promise<T> {
    const bare = { text: part.text }
    if (part.entities.length === 0) return call(bare)
    try {
      return await call({ ...bare, entities: [...part.entities] })
    } catch (error) {
      const refusal = refusalOf(telegramFault(method, error, api.token))
      if (refusal?.code !== 400 || OF_THE_PLACE.test(refusal.description)) throw error
      warn(`A message is sent without its formatting: ${refusal.message}`)
      return call(bare)
    }
  }

  return {
    async send(to, part, { buttons } = {}) {
      const rest = {
        chat_id: to.chat,
        ...preview,
        ...defined({ message_thread_id: to.thread }),
        ...(buttons === undefined ? {} : { reply_markup: keyboard(buttons) }),
      }
      const message = await inLine('sendMessage', to, {
        run: () => withEntities('sendMessage', part, (text) => api.raw.sendMessage({ ...rest, ...text }, ending)),
      })
      // Only what may be dropped answers nothing.
      return message!.message_id
    },

    async edit(to, messageId, part, { buttons, droppable = false } = {}) {
      const rest = {
        chat_id: to.chat,
        message_id: messageId,
        ...preview,
        ...(buttons === undefined ? {} : { reply_markup: keyboard(buttons) }),
      }
      const run = () =>
        withEntities('editMessageText', part, (text) => api.raw.editMessageText({ ...rest, ...text }, ending))
      try {
        const edited = await inLine('editMessageText', to, { run, subject: String(messageId), droppable })
        return edited === undefined ? 'dropped' : 'edited'
      } catch (error) {
        const outcome = editOutcome(error)
        if (outcome) return outcome
        throw error
      }
    },

    async remove(to, messageId) {
      try {
        await inLine('deleteMessage', to, {
          run: () => api.raw.deleteMessage({ chat_id: to.chat, message_id: messageId }, ending),
        })
        return true
      } catch (error) {
        if (describes(error, /message (?:to delete not found|can't be deleted)|MESSAGE_ID_INVALID/i)) return false
        throw error
      }
    },

    async typing({ chat, thread }) {
      const line = lineOf(chat)
      if (signal.aborted || line.held) return
      const topic = thread === undefined ? {} : { message_thread_id: thread }
      try {
        await api.raw.sendChatAction({ chat_id: chat, action: 'typing', ...topic }, ending)
      } catch (error) {
        const fault = telegramFault('sendChatAction', error, api.token)
        if (fault.type === 'limited') line.hold(fault.retryAfterMs)
      }
    },

    async answerButton(callbackId, text) {
      const until = now() + LONGEST_ANSWER_WAIT
      for (let n = 1; !signal.aborted; n++) {
        try {
          // oxlint-disable-next-line no-await-in-loop -- a new try after a failed one
          await api.raw.answerCallbackQuery({ callback_query_id: callbackId, ...(text ? { text } : {}) }, ending)
          return
        } catch (error) {
          const fault = telegramFault('answerCallbackQuery', error, api.token)
          if (fault.type === 'refused') return
          const wait = fault.type === 'limited' ? fault.retryAfterMs : backOff(n, random)
          if (now() + wait > until) return
          // oxlint-disable-next-line no-await-in-loop -- as above
          await sleep(wait, signal).catch(() => {})
        }
      }
    },
  }
}

/** What Telegram refuses because of the chat or the message, and not because of the words. */
const OF_THE_PLACE = /chat|peer|user|group|topic|thread|rights|not found|not modified|can't be|message_id/i

function keyboard(buttons: TelegramButtons) {
  return {
    inline_keyboard: buttons.map((row) => row.map(({ text, data }) => ({ text, callback_data: data }))),
  }
}

function editOutcome(error: unknown): EditOutcome | undefined {
  if (describes(error, /message is not modified/i)) return 'same'
  if (describes(error, /message (?:to edit not found|can't be edited)|MESSAGE_ID_INVALID/i)) return 'gone'
  return undefined
}

function describes(error: unknown, pattern: RegExp): boolean {
  return error instanceof TelegramRefusal && error.code === 400 && pattern.test(error.description)
}

function refusalOf(fault: TelegramFault): TelegramRefusal | undefined {
  return fault.type === 'refused' ? fault.refusal : undefined
}
