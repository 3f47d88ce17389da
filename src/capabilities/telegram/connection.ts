import type { Api } from 'grammy'
import type { Update } from 'grammy/types'
import { errorMessage, ForewordError } from '../../platform.ts'
import { readFault } from './api/telegram-api.ts'
import type { ChatCommand } from './commands.ts'
import type { BotName } from './parsed-update.ts'
import { shorten } from './text/formatted-text.ts'
import { backoffMs, type Sleep, telegramTimes } from './timing.ts'

interface BotConnectionParts {
  readonly api: Api
  readonly commands: readonly ChatCommand[]
  readonly webhook?: { readonly url: string; readonly secret: string } | undefined
  /** `false`: who the bot is is all that is asked, for another home listens to it. */
  readonly listens: boolean
  readonly sleep: Sleep
  readonly signal: AbortSignal
  warn(text: string): void
  random(): number
}

export function connectBot(parts: BotConnectionParts) {
  const { api, webhook, sleep, random, warn, signal } = parts
  const ending = signal as unknown as Parameters<Api['raw']['getMe']>[0]
  let trouble: string | undefined

  /** Warns the operator once for each new fault. Returns the least time to wait before the next try, ms. */
  function note(fault: { readonly text: string; readonly leastMs: number } | undefined): number {
    if (fault && fault.text !== trouble) warn(fault.text)
    trouble = fault?.text
    return fault?.leastMs ?? 0
  }

  /** Another program has set a webhook meanwhile. If this fails, so does the next poll. */
  async function endWebhook(): Promise<void> {
    try {
      await api.raw.deleteWebhook({}, ending)
    } catch (error) {
      note(connectionFault(error, api.token))
    }
  }

  async function introduce(): Promise<BotName> {
    const { id, username } = await api.raw.getMe(ending)
    if (!parts.listens) return { id, username }
    if (webhook) {
      const { url, secret } = webhook
      const one = { url, secret_token: secret, allowed_updates: updateKinds, max_connections: 1 }
      await api.raw.setWebhook(one, ending)
    } else {
      await api.raw.deleteWebhook({}, ending)
    }
    return { id, username }
  }

  /** Sets the menu of commands. Runs in the background, because Telegram limits how often the menu may change. */
  async function offerCommands(): Promise<void> {
    const commands = parts.commands
      .filter(({ name }) => /^[a-z0-9_]{1,32}$/.test(name))
      .map(({ name, summary }) => ({ command: name, description: shorten(summary.trim() || name, 256) }))
      .slice(0, MOST_MENU_COMMANDS)
    for (let n = 1; !signal.aborted; n += 1) {
      try {
        await api.raw.setMyCommands({ commands }, ending)
        return
      } catch (error) {
        if (signal.aborted) return
        const fault = readFault('setMyCommands', error, api.token)
        if (fault.type === 'refused') return warn(`The bot has no menu of commands: ${fault.refusal.message}`)
        await sleep(Math.max(fault.type === 'limited' ? fault.retryAfterMs : 0, backoffMs(n, random)), signal)
      }
    }
  }

  return {
    /** A sentence for the operator while something is wrong. */
    trouble: () => trouble,

    /** Asks who the bot is and registers how it receives updates. Retries until that succeeds; `undefined` once the signal is aborted. */
    async connect(): Promise<BotName | undefined> {
      for (let n = 1; !signal.aborted; n += 1) {
        try {
          const me = await introduce()
          note(undefined)
          if (parts.listens) void offerCommands()
          return me
        } catch (error) {
          if (signal.aborted) return undefined
          const least = note(connectionFault(error, api.token))
          await sleep(Math.max(least, backoffMs(n, random)), signal)
        }
      }
      return undefined
    },

    /** Polls for updates until the signal is aborted. */
    poll: (accept: (update: Update) => Promise<void>) =>
      pollUpdates({
        ...parts,
        async accept(update) {
          try {
            await accept(update)
          } catch (error) {
            throw new UpdateNotKept(error)
          }
        },
        async onTrouble(error) {
          if (error === undefined) return note(undefined)
          const fault = connectionFault(error, api.token)
          if (fault.isWebhook) await endWebhook()
          return note(fault)
        },
      }),
  }
}

const MOST_MENU_COMMANDS = 100

/** An update could not be written to disk. A signal from `accept` to the poll loop. */
class UpdateNotKept extends ForewordError {
  constructor(cause: unknown) {
    super('storage', errorMessage(cause), {}, { cause })
  }
}

interface ConnectionFault {
  readonly text: string
  readonly leastMs: number
  readonly isWebhook?: boolean
}

function connectionFault(error: unknown, token: string): ConnectionFault {
  if (error instanceof UpdateNotKept) {
    return { text: `Messages from Telegram cannot be stored at the moment: ${error.message}`, leastMs: 0 }
  }
  const fault = readFault('getUpdates', error, token)
  if (fault.type === 'limited')
    return { text: 'Telegram limits the calls of the bot at the moment.', leastMs: fault.retryAfterMs }
  if (fault.type === 'unreachable') {
    return { text: `Telegram cannot be reached: ${fault.text}. The gateway keeps trying.`, leastMs: 0 }
  }
  const { status, description } = fault.refusal
  if (status === 401 || status === 404) {
    const hint =
      'Copy the token from @BotFather to where channels.telegram.tokenEnv or tokenFile points, and restart the gateway.'
    return { text: `Telegram does not know the token of the bot. ${hint}`, leastMs: 30_000 }
  }
  if (status === 409) {
    const isWebhook = /webhook/i.test(description)
    const text = isWebhook
      ? 'The Telegram bot had a webhook. The gateway removed it, because it polls for messages.'
      : 'Another program polls the messages of the Telegram bot, and Telegram allows only one. Stop the other program.'
    return { text, leastMs: isWebhook ? 0 : 5_000, isWebhook }
  }
  return { text: `Telegram refuses to deliver messages: ${status} ${description}`, leastMs: 5_000 }
}

interface PollParts extends Pick<BotConnectionParts, 'api' | 'signal' | 'sleep' | 'random'> {
  /** Stores an update. Only a stored update is acknowledged. */
  accept(update: Update): Promise<void>
  /** Called with the error of each failed poll, and with `undefined` after a successful one. Returns the least wait, ms. */
  onTrouble(trouble: unknown): Promise<number>
}

const updateKinds = ['message', 'edited_message', 'callback_query', 'my_chat_member'] as const

/**
 * Polls until the signal is aborted. The next poll acknowledges an update: Telegram sends again what was lost before.
 */
async function pollUpdates({ api, signal, sleep, random, ...parts }: PollParts): Promise<void> {
  const ending = signal as unknown as Parameters<Api['raw']['getUpdates']>[1]
  let offset = 0
  let failures = 0
  while (!signal.aborted) {
    try {
      const timeout = Math.round(telegramTimes.poll / 1000)
      const updates = await api.raw.getUpdates({ offset, timeout, limit: 100, allowed_updates: updateKinds }, ending)
      for (const update of updates) {
        if (signal.aborted) return
        await parts.accept(update)
        offset = update.update_id + 1
      }
      failures = 0
      await parts.onTrouble(undefined)
    } catch (error) {
      if (signal.aborted) return
      failures += 1
      const least = await parts.onTrouble(error)
      await sleep(Math.max(least, backoffMs(failures, random)), signal)
    }
  }
}
