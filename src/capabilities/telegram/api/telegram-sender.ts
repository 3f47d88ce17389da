import type { Api } from 'grammy'
import type { MessageEntity } from 'grammy/types'
import type { Clock } from '../../../platform.ts'
import { type ChatReference, isPersonal } from '../chat-reference.ts'
import type { FormattedText } from '../text/formatted-text.ts'
import { backoffMs, createPace, type Pace, type Sleep } from '../timing.ts'
import { readFault, type TelegramFault, TelegramRefusal } from './telegram-api.ts'

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

/** In rows. `data` comes back when the button is pressed: 1 to 64 bytes of UTF-8. */
export type TelegramButtons = readonly (readonly { readonly text: string; readonly data: string }[])[]

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
      const rest = { chat_id: to.id, ...preview, ...keyboard(buttons) }
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

    /** `same`: the message already has this content. `gone`: the message can no longer be edited. */
    async edit(
      to: ChatReference,
      messageId: number,
      part: FormattedText,
      { buttons, droppable = false }: MessageEditOptions = {},
    ): Promise<'edited' | 'same' | 'gone' | 'dropped'> {
      const rest = { chat_id: to.id, message_id: messageId, ...preview, ...keyboard(buttons) }
      const run = () =>
        withEntities('editMessageText', part, (text) => api.raw.editMessageText({ ...rest, ...text }, ending))
      try {
        const edited = await inLine('editMessageText', to, { run, subject: String(messageId), droppable })
        return edited === undefined ? 'dropped' : 'edited'
      } catch (error) {
        if (describes(error, /message is not modified/i)) return 'same'
        if (describes(error, /message (?:to edit not found|can't be edited)|MESSAGE_ID_INVALID/i)) return 'gone'
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
          await api.raw.answerCallbackQuery({ callback_query_id: callbackId, ...(text ? { text } : {}) }, ending)
          return
        } catch (error) {
          const fault = readFault('answerCallbackQuery', error, api.token)
          if (fault.type === 'refused') return
          const wait = fault.type === 'limited' ? fault.retryAfterMs : backoffMs(n, random)
          if (clock.now() + wait > until) return
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

function keyboard(buttons: TelegramButtons | undefined) {
  if (buttons === undefined) return {}
  const rows = buttons.map((row) => row.map(({ text, data }) => ({ text, callback_data: data })))
  return { reply_markup: { inline_keyboard: rows } }
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

function createChatLines(parts: Omit<ChatLineParts, 'paces'>): (chat: number) => ChatLine {
  const lines = new Map<number, { line: ChatLine; rested: () => boolean }>()
  const all = createPace(ALL)
  return (chat) => {
    const known = lines.get(chat)
    if (known) return known.line
    for (const [other, { rested }] of lines) if (rested()) lines.delete(other)
    const own = createPace(isPersonal(chat) ? PERSON : GROUP)
    const line = createChatLine({ ...parts, paces: [own, all] })
    lines.set(chat, { line, rested: () => line.idle && own.rested(parts.now()) })
    return line
  }
}

/** Telegram's limits: about one message per second to a person, 20 per minute to a group, 30 per second in total. */
const PERSON = { burst: 3, everyMs: 1_000 }
const GROUP = { burst: 5, everyMs: 4_000 }
const ALL = { burst: 5, everyMs: 40 }

type ChatLine = ReturnType<typeof createChatLine>

interface LineCall<T> {
  /** A newer call with the same subject replaces a waiting droppable one. */
  readonly subject?: string
  /** Whether a limit or a fault drops the call. */
  readonly droppable?: boolean
  /** Called right before each try: where it rejects, the call does, and nothing is sent. */
  before?(): Promise<void>
  run(): Promise<T>
  /** Classifies the error that `run` rejected with. */
  readFault(error: unknown): TelegramFault
}

interface ChatLineParts {
  /** A call starts when every pace allows it. */
  readonly paces: readonly Pace[]
  now(): number
  readonly sleep: Sleep
  random(): number
  /** Called after every try; with `undefined` where Telegram answered. */
  tried(fault: TelegramFault | undefined): void
  readonly signal: AbortSignal
}

interface Waiting {
  readonly call: LineCall<unknown>
  resolve(value: unknown): void
  reject(error: unknown): void
}

function createChatLine({ paces, now, sleep, random, tried, signal }: ChatLineParts) {
  const waiting: Waiting[] = []
  let running = false
  let heldUntil = 0

  async function work(): Promise<void> {
    running = true
    let failures = 0
    while (waiting.length > 0) {
      await turn()
      const next = waiting.shift()
      if (!next) break
      const fault = await attempt(next)
      if (!fault) {
        failures = 0
        continue
      }
      failures++
      heldUntil = Math.max(
        heldUntil,
        now() + (fault.type === 'limited' ? fault.retryAfterMs : backoffMs(failures, random)),
      )
      if (next.call.droppable) next.resolve(undefined)
      else waiting.unshift(next)
    }
    running = false
  }

  /** Waits until the next call may start. A newer call may have replaced the first one meanwhile. */
  async function turn(): Promise<void> {
    for (;;) {
      signal.throwIfAborted()
      const wait = Math.max(heldUntil - now(), ...paces.map((pace) => pace.wait(now())))
      // Paces are shared, so checking and taking happen in one step.
      if (wait <= 0) return paces.forEach((pace) => pace.take(now()))
      await sleep(wait, signal)
    }
  }

  /** Returns a fault after which the call is retried or dropped. Any other result settles the call. */
  async function attempt({
    call,
    resolve,
    reject,
  }: Waiting): Promise<Exclude<TelegramFault, { type: 'refused' }> | undefined> {
    try {
      await call.before?.()
    } catch (error) {
      reject(error)
      return undefined
    }
    try {
      const value = await call.run()
      tried(undefined)
      resolve(value)
    } catch (error) {
      if (signal.aborted) {
        reject(signal.reason)
        return undefined
      }
      const fault = call.readFault(error)
      if (fault.type !== 'refused') {
        tried(fault)
        return fault
      }
      tried(undefined)
      reject(fault.refusal)
    }
    return undefined
  }

  function end(error: unknown): void {
    running = false
    for (const { reject } of waiting.splice(0)) reject(error)
  }

  return {
    /** Resolves to the result; to `undefined` if dropped. Rejects with a refusal, and with the reason of the signal. */
    add<T>(call: LineCall<T>) {
      return new Promise<T | undefined>((resolve, reject) => {
        if (signal.aborted) return reject(signal.reason)
        const entry: Waiting = { call, resolve, reject }
        replaceOrAppend(waiting, entry)
        if (!running) work().catch(end)
      })
    },
    /** Starts no call for that long, ms. */
    hold(ms: number) {
      heldUntil = Math.max(heldUntil, now() + ms)
    },
    /** Whether a limit or a fault delays the next call. */
    get held() {
      return heldUntil > now()
    },
    /** Nothing waits, runs or is held. */
    get idle() {
      return !running && heldUntil <= now()
    },
  }
}

function replaceOrAppend(waiting: Waiting[], entry: Waiting): void {
  const { subject } = entry.call
  const older = subject === undefined ? -1 : waiting.findIndex(({ call }) => call.droppable && call.subject === subject)
  if (older < 0) return void waiting.push(entry)
  const [dropped] = waiting.splice(older, 1, entry)
  dropped?.resolve(undefined)
}
