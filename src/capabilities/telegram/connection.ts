import type { Api } from 'grammy'
import type { Update } from 'grammy/types'
import { errorMessage } from '../../platform.ts'
import { backOff } from './api/back-off.ts'
import { telegramFault } from './api/telegram-fault.ts'
import type { ChatCommand } from './command/command.ts'
import { pollUpdates, updateKinds } from './poll-updates.ts'
import type { Sleep } from './telegram-options.ts'
import type { BotName } from './message-text.ts'

/** The way to the Bot API, as long as a channel is open. */
export interface Connection {
  /** Finds out who the bot is, and says how it wants its updates. Tries until that went well; `undefined` once it is stopped. */
  connect(): Promise<BotName | undefined>
  /** Asks for updates until it is stopped. */
  poll(accept: (update: Update) => Promise<void>): Promise<void>
  /** A sentence for the operator while something is wrong. */
  trouble(): string | undefined
}

export interface ConnectionParts {
  readonly api: Api
  readonly commands: readonly ChatCommand[]
  readonly webhook?: { readonly url: string; readonly secret: string } | undefined
  readonly sleep: Sleep
  readonly signal: AbortSignal
  warn(text: string): void
  /** From 0 to 1. */
  random(): number
}

export function openConnection(parts: ConnectionParts): Connection {
  const { api, webhook, sleep, random, warn, signal } = parts
  const ending = signal as unknown as Parameters<Api['raw']['getMe']>[0]
  let trouble: string | undefined

  /** Tells the operator what is wrong, once until it is something else. Answers how long to wait at least, ms. */
  function note(fault: { readonly text: string; readonly leastMs: number } | undefined): number {
    if (fault && fault.text !== trouble) warn(fault.text)
    trouble = fault?.text
    return fault?.leastMs ?? 0
  }

  /** Somebody has set one meanwhile. Where that fails, the next question fails again. */
  async function endWebhook(): Promise<void> {
    try {
      await api.raw.deleteWebhook({}, ending)
    } catch (error) {
      note(faultOf(error, api.token))
    }
  }

  async function introduce(): Promise<BotName> {
    const { id, username } = await api.raw.getMe(ending)
    if (webhook) {
      const { url, secret } = webhook
      const one = { url, secret_token: secret, allowed_updates: updateKinds, max_connections: 1 }
      await api.raw.setWebhook(one, ending)
    } else {
      await api.raw.deleteWebhook({}, ending)
    }
    return { id, username }
  }

  /** The menu of commands. Nobody waits for it: Telegram lets it be set only now and then. */
  async function offerCommands(): Promise<void> {
    const commands = parts.commands.map(({ name, summary }) => ({ command: name, description: summary }))
    for (let n = 1; !signal.aborted; n += 1) {
      try {
        await api.raw.setMyCommands({ commands }, ending)
        return
      } catch (error) {
        if (signal.aborted) return
        const fault = telegramFault('setMyCommands', error, api.token)
        if (fault.type === 'refused') return warn(`Telegram does not show the commands: ${fault.refusal.message}`)
        await sleep(Math.max(fault.type === 'limited' ? fault.retryAfterMs : 0, backOff(n, random)), signal)
      }
    }
  }

  return {
    trouble: () => trouble,
    async connect() {
      for (let n = 1; !signal.aborted; n += 1) {
        try {
          const me = await introduce()
          note(undefined)
          void offerCommands()
          return me
        } catch (error) {
          if (signal.aborted) return undefined
          const least = note(faultOf(error, api.token))
          await sleep(Math.max(least, backOff(n, random)), signal)
        }
      }
      return undefined
    },
    poll: (accept) =>
      pollUpdates({
        ...parts,
        async accept(update) {
          try {
            await accept(update)
          } catch (error) {
            throw new NotKept(error)
          }
        },
        async onTrouble(error) {
          if (error === undefined) return note(undefined)
          const fault = faultOf(error, api.token)
          if (fault.isWebhook) await endWebhook()
          return note(fault)
        },
      }),
  }
}

/** An update could not be written to disk. */
class NotKept extends Error {
  override readonly name = 'NotKept'

  constructor(cause: unknown) {
    super(errorMessage(cause), { cause })
  }
}

interface ConnectionFault {
  readonly text: string
  readonly leastMs: number
  readonly isWebhook?: boolean
}

function faultOf(error: unknown, token: string): ConnectionFault {
  if (error instanceof NotKept) {
    return { text: `What people write in Telegram cannot be kept at the moment: ${error.message}`, leastMs: 0 }
  }
  const fault = telegramFault('getUpdates', error, token)
  if (fault.type === 'limited') return { text: 'Telegram wants fewer calls for now.', leastMs: fault.retryAfterMs }
  if (fault.type === 'unreachable') {
    return { text: `Telegram cannot be reached, and is tried again until it can: ${fault.text}`, leastMs: 0 }
  }
  const { code, description } = fault.refusal
  if (code === 401 || code === 404) {
    const hint =
      'Copy the token that @BotFather shows to where channels.telegram.tokenEnv or tokenFile says, and start again.'
    return { text: `Telegram does not know the token of the bot. ${hint}`, leastMs: 30_000 }
  }
  if (code === 409) {
    const isWebhook = /webhook/i.test(description)
    const text = isWebhook
      ? 'A webhook was set for the Telegram bot: it is taken away, because the gateway asks for messages itself.'
      : 'Another program asks for the messages of the Telegram bot, and only one can: end the other one.'
    return { text, leastMs: isWebhook ? 0 : 5_000, isWebhook }
  }
  return { text: `Telegram refuses to give messages: ${code} ${description}`, leastMs: 5_000 }
}
