import type { Update } from 'grammy/types'
import type { ChannelContext } from '../../capability.ts'
import { errorMessage, keyedQueue } from '../../platform.ts'
import type { ChatAccess, PairingGate } from './access.ts'
import { TelegramRefusal } from './api/telegram-api.ts'
import { type ApprovalMessages, isApprovalNote } from './approval-messages.ts'
import { chatBinding, conversationName } from './chat-reference.ts'
import { mayRecover } from './command/commands.ts'
import { endTurns } from './command/session-commands.ts'
import { handleMessage, type HandleMessageParts, messageCommand } from './handle-message.ts'
import { type MessageGroup, type ParsedMessage, type ParsedUpdate, parseUpdate } from './parsed-update.ts'
import type { BotName } from './speaker.ts'
import { backoffMs, type Sleep, telegramTimes } from './timing.ts'

/** Accepts updates, and handles each once, in the order of its chat. */
export type UpdateHandler = ReturnType<typeof createUpdateHandler>

interface UpdateHandlerParts extends Omit<HandleMessageParts, 'runtime' | 'bot' | 'endedAhead'> {
  readonly context: ChannelContext
  readonly me: BotName
  readonly access: ChatAccess
  readonly pairingGate: PairingGate
  readonly approvals: ApprovalMessages
  readonly sleep: Sleep
  readonly signal: AbortSignal
  random(): number
}

export function createUpdateHandler(parts: UpdateHandlerParts) {
  const { context, me, signal, access, pairingGate, approvals } = parts
  const { inbox, runtime } = context
  const queue = keyedQueue<string>()
  const albums = createAlbums(parts.sleep, signal)

  function handle(parsed: ParsedUpdate, isKept: boolean): void {
    const add = (name: string, work: () => Promise<void>) =>
      void queue
        .add(name, work)
        .catch((error: unknown) => context.warn(`A message from Telegram was not handled: ${errorMessage(error)}`))
    const attempt = (handled: readonly ParsedUpdate[], work: () => Promise<void>) => retry(isKept ? handled : [], work)
    const key = conversationName(parsed.chat)
    if (parsed.type === 'message') {
      const group = albums.group(parsed)
      if (!group) return
      const endedAhead = stopAhead(parsed)
      return add(key, async () => {
        const messages = await group
        if (messages)
          await attempt(messages, () => handleMessage(messages, { ...parts, runtime, bot: me.id, endedAhead }))
      })
    }
    // A pressed button does not wait behind the download of a large file.
    if (parsed.type === 'press') return add(`press ${key}`, () => attempt([parsed], () => approvals.press(parsed)))
    add(key, () => attempt([parsed], () => handleEvent(parsed)))
  }

  /** /stop does not wait behind the download of a large file: it cancels running turns at once, and the others in its order. */
  async function stopAhead(parsed: ParsedMessage): Promise<readonly string[]> {
    if (!parsed.addressed || messageCommand([parsed], parsed)?.name !== 'stop') return []
    try {
      return (await access.chat(parsed.chat.id)) ? await endTurns(runtime, chatBinding(parsed.chat)) : []
    } catch {
      // The command runs again in its order, and reports the error then.
      return []
    }
  }

  async function handleEvent(parsed: Exclude<ParsedUpdate, { type: 'message' | 'press' }>): Promise<void> {
    const { chat } = parsed
    if (parsed.type === 'arrival') {
      if (!(await access.chat(chat.id))) await pairingGate.explain(chat)
      return
    }
    if (!(await access.chat(chat.id))) return
    context.warn(
      `The Telegram group ${chat.id} became a supergroup with the id ${parsed.to}. Pair it again, or add the new id to ` +
        'channels.telegram.allowedChats.',
    )
  }

  /** Runs `work` until it succeeds. `kept` stays in the inbox when the channel stops before that. */
  async function retry(kept: readonly ParsedUpdate[], work: () => Promise<void>): Promise<void> {
    // The operator need not know of strangers, who may block the bot for instance.
    const warn = kept.length > 0 ? context.warn : () => {}
    for (let n = 1; !signal.aborted; n += 1) {
      const fault = await failure(work)
      if (fault === undefined || fault instanceof TelegramRefusal) {
        if (fault) warn(`The bot could not send an answer: ${fault.message}`)
        // Newest first: the first message identifies an album of which only a part is left.
        for (const { update } of kept.toReversed()) await inbox.done(String(update))
        return
      }
      if (signal.aborted) return
      if (!mayRecover(fault) && n === MOST_TRIES) {
        return warn(`The gateway handles a message from Telegram at its next start: ${fault.message}`)
      }
      if (n === 1) warn(`The gateway could not handle a message from Telegram and tries again: ${fault.message}`)
      await parts.sleep(backoffMs(n, parts.random), signal)
    }
  }

  /** A malformed update must not block the updates behind it. */
  function read(update: Update): ParsedUpdate | undefined {
    try {
      return parseUpdate(update, me)
    } catch (error) {
      context.warn(`Skipped an update from Telegram that cannot be read: ${errorMessage(error)}`)
      return undefined
    }
  }

  return {
    /** On disk when it resolves. Drops repeated updates, and those that do not concern the bot. */
    async accept(update: Update): Promise<void> {
      const parsed = read(update)
      if (!parsed) return
      // Messages of strangers are not stored. A chat that is paired by an earlier message has access when this one is handled.
      const isKept = await access.chat(parsed.chat.id)
      if (!isKept || (await inbox.accept(String(update.update_id), update))) handle(parsed, isKept)
    },

    /** Handles what a former process stored and did not finish. */
    async recover(waiting: readonly { readonly id: string; readonly value: unknown }[]): Promise<void> {
      for (const { id, value } of waiting) {
        if (isApprovalNote(id)) continue
        const parsed = read(value as Update)
        if (parsed) handle(parsed, true)
        else await inbox.done(id)
      }
    },
    settled: queue.idle,
  }
}

async function failure(work: () => Promise<void>): Promise<Error | undefined> {
  try {
    await work()
    return undefined
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error))
  }
}

/** Tries at a failure that may be permanent. A passing one is retried without end, so that the chat keeps its order. */
const MOST_TRIES = 5

/** Collects the messages of an album, which arrive one by one, until no more arrive. */
function createAlbums(sleep: Sleep, signal: AbortSignal) {
  const open = new Map<string, [ParsedMessage, ...ParsedMessage[]]>()

  async function collect(key: string, first: ParsedMessage): Promise<MessageGroup | undefined> {
    const messages: [ParsedMessage, ...ParsedMessage[]] = [first]
    open.set(key, messages)
    for (let known = 0; known < messages.length && !signal.aborted;) {
      known = messages.length
      await sleep(telegramTimes.album, signal)
    }
    open.delete(key)
    if (signal.aborted) return undefined
    const [oldest, ...others] = messages.toSorted((one, other) => one.update - other.update)
    return [oldest!, ...others]
  }

  return {
    /**
     * In the order in which it was sent. `undefined` for the later messages of an album, which belong to the group of
     * the first. Resolves to `undefined` where `signal` is aborted meanwhile.
     */
    group(message: ParsedMessage): Promise<MessageGroup | undefined> | undefined {
      if (message.album === undefined) return Promise.resolve([message])
      const key = `${message.chat.id} ${message.album}`
      const others = open.get(key)
      if (!others) return collect(key, message)
      others.push(message)
      return undefined
    },
  }
}
