import type { Api } from 'grammy'
import type { MessageEntity } from 'grammy/types'
import type { Clock } from '../../../platform.ts'
import type { FormattedText } from '../text/formatted-text.ts'
import type { ChatReference } from '../chat-reference.ts'
import { backoffMs } from '../timing.ts'
import { createChatLines } from './chat-line.ts'
import { type TelegramFault, readFault, TelegramRefusal } from './telegram-api.ts'

/**
 * Calls for one chat run in order; a slow chat delays no other. Retries after limits (429), network faults and server
 * errors until its signal is aborted; then every waiting call rejects with its reason. Any other refusal rejects with
 * `TelegramRefusal`.
 */
export type TelegramSender = ReturnType<typeof telegramSender>

interface SendOptions {
  readonly buttons?: TelegramButtons
  /** Called right before each try, with the text that is sent then. Where it rejects, nothing is sent. */
  readonly before?: () => Promise<FormattedText>
}

interface MessageEditOptions {
  /** An edit without buttons removes those of the message. */
  readonly buttons?: TelegramButtons
  /** For interim text: a newer edit of the same message, a limit or a fault drops such an edit. */
  readonly droppable?: boolean
}

/** `same`: the message already has this content. `gone`: the message can no longer be edited. */
type EditOutcome = 'edited' | 'same' | 'gone' | 'dropped'

export type TelegramButtons = readonly (readonly TelegramButton[])[]

interface TelegramButton {
  readonly text: string
  /** Returned when the button is pressed. 1 to 64 bytes of UTF-8. */
  readonly data: string
}

export interface TelegramSenderOptions {
  readonly api: Api
  /** Ends every wait and every call when it is aborted; a new message that is on its way has some seconds to arrive. */
  readonly signal: AbortSignal
  /** Whether Telegram fetches the pages that a message links to. `false` by default. */
  readonly linkPreviews?: boolean
  warn(text: string): void
  readonly clock: Clock
  /** Asked before each change of a chat: where it rejects, nothing is changed. */
  readonly hasHome?: () => Promise<void>
  /** From 0 to 1. */
  readonly random?: () => number
}

type SentText = { text: string; entities?: MessageEntity[] }

/** Time limit to acknowledge a button, ms. */
const LONGEST_ANSWER_WAIT = 30_000

export function telegramSender(options: TelegramSenderOptions) {
  const { api, signal, warn, linkPreviews = false } = options
  const { clock, random = Math.random, hasHome } = options
  // grammY's types use another AbortSignal than Node's.
  const ending = signal as unknown as Parameters<Api['raw']['sendMessage']>[1]
  const lateEnding = afterGrace(clock, signal) as unknown as typeof ending
  const chatLine = createChatLines({
    now: clock.monotonic,
    sleep: clock.sleep,
    random,
    signal,
    tried: reportFaults(warn),
  })
  const preview = { link_preview_options: { is_disabled: !linkPreviews } }

  function inLine<T>(
    method: string,
    to: ChatReference,
    call: { run(): Promise<T>; before?(): Promise<void>; subject?: string; droppable?: boolean },
  ) {
    return chatLine(to.id).add({
      ...(hasHome && { before: hasHome }),
      ...call,
      readFault: (error) => readFault(method, error, api.token),
    })
  }

  /** Sends the text without its formatting where Telegram cannot parse that. */
  async function withEntities<T>(
    method: string,
    part: FormattedText,
    call: (text: SentText) => Promise<T>,
  ): Promise<T> {
    const bare = { text: part.text }
    if (part.entities.length === 0) return call(bare)
    try {
      return await call({ ...bare, entities: [...part.entities] })
    } catch (error) {
      const fault = readFault(method, error, api.token)
      const refusal = fault.type === 'refused' ? fault.refusal : undefined
      if (refusal?.status !== 400 || NOT_FORMATTING.test(refusal.description)) throw error
      warn(`Sent a message without its formatting: ${refusal.message}`)
      return call(bare)
    }
  }

  return {
    /** Returns Telegram's id of the message. */
    async send(to: ChatReference, part: FormattedText, { buttons, before }: SendOptions = {}): Promise<number> {
      let text = part
      const rest = {
        chat_id: to.id,
        ...preview,
        ...(buttons === undefined ? {} : { reply_markup: keyboard(buttons) }),
      }
      const send = (more: object) =>
        inLine('sendMessage', to, {
          ...(before && {
            async before() {
              text = await before()
            },
          }),
          run: () =>
            withEntities('sendMessage', text, (formed) =>
              api.raw.sendMessage({ ...rest, ...more, ...formed }, lateEnding),
            ),
        })
      // Only a droppable call resolves to `undefined`.
      if (to.thread === undefined) return (await send({}))!.message_id
      try {
        return (await send({ message_thread_id: to.thread }))!.message_id
      } catch (error) {
        if (!describes(error, /thread not found|TOPIC_(?:CLOSED|DELETED|ID_INVALID)|topic (?:is )?(?:closed|deleted)/i))
          throw error
        warn(`The topic ${to.thread} of the chat ${to.id} is gone or closed: an answer goes to the chat itself.`)
        return (await send({}))!.message_id
      }
    },

    async edit(
      to: ChatReference,
      messageId: number,
      part: FormattedText,
      { buttons, droppable = false }: MessageEditOptions = {},
    ): Promise<EditOutcome> {
      const rest = {
        chat_id: to.id,
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

    /** Returns whether the message existed and could be removed. */
    async remove(to: ChatReference, messageId: number): Promise<boolean> {
      try {
        await inLine('deleteMessage', to, {
          run: () => api.raw.deleteMessage({ chat_id: to.id, message_id: messageId }, ending),
        })
        return true
      } catch (error) {
        if (describes(error, /message (?:to delete not found|can't be deleted)|MESSAGE_ID_INVALID/i)) return false
        throw error
      }
    },

    /** Shows the typing indicator for five seconds. Does not wait for other calls, is not retried, and never rejects. */
    async typing({ id: chat, thread }: ChatReference): Promise<void> {
      const line = chatLine(chat)
      if (signal.aborted || line.held) return
      const topic = thread === undefined ? {} : { message_thread_id: thread }
      try {
        await api.raw.sendChatAction({ chat_id: chat, action: 'typing', ...topic }, ending)
      } catch (error) {
        const fault = readFault('sendChatAction', error, api.token)
        if (fault.type === 'limited') line.hold(fault.retryAfterMs)
      }
    },

    /** Acknowledges a pressed button, and shows the person `text` as a note where it is given. Never rejects. */
    async answerButton(callbackId: string, text?: string): Promise<void> {
      const until = clock.now() + LONGEST_ANSWER_WAIT
      for (let n = 1; !signal.aborted; n++) {
        try {
          // oxlint-disable-next-line no-await-in-loop -- a new try after a failed one
          await api.raw.answerCallbackQuery({ callback_query_id: callbackId, ...(text ? { text } : {}) }, ending)
          return
        } catch (error) {
          const fault = readFault('answerCallbackQuery', error, api.token)
          if (fault.type === 'refused') return
          const wait = fault.type === 'limited' ? fault.retryAfterMs : backoffMs(n, random)
          if (clock.now() + wait > until) return
          // oxlint-disable-next-line no-await-in-loop -- as above
          await clock.sleep(wait, signal)
        }
      }
    },
  }
}

/** How long a message that is on its way has to arrive after the end, ms: one that was sent and not noted would be sent again. */
const GRACE_MS = 3_000

function afterGrace(clock: Clock, signal: AbortSignal): AbortSignal {
  const late = new AbortController()
  const end = (): void => void clock.timer(GRACE_MS, () => late.abort(signal.reason), { idle: true })
  if (signal.aborted) end()
  else signal.addEventListener('abort', end, { once: true })
  return late.signal
}

/** Refusals that concern the chat or the message, and not its formatting. */
const NOT_FORMATTING = /chat|peer|user|group|topic|thread|rights|not found|not modified|can't be|message_id/i

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
  return error instanceof TelegramRefusal && error.status === 400 && pattern.test(error.description)
}

/** Warns the operator once that Telegram cannot be reached, and not at every retry. */
function reportFaults(warn: (text: string) => void): (fault: TelegramFault | undefined) => void {
  let reachable = true
  return (fault) => {
    if (fault?.type === 'limited') {
      if (fault.retryAfterMs < LONG_LIMIT) return
      return warn(
        `Telegram accepts no messages for a chat for ${Math.ceil(fault.retryAfterMs / 1000)} s, because the bot sent too many.`,
      )
    }
    if (fault?.type === 'unreachable' && reachable) {
      warn(`Telegram cannot be reached: ${fault.text}. The gateway keeps trying.`)
    }
    reachable = fault === undefined
  }
}

/** The shortest limit that the operator is warned about, ms. */
const LONG_LIMIT = 60_000
