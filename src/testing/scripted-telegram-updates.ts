import { defined } from '../platform.ts'
import type { Update } from 'grammy/types'
import { badRequest, BotApiRefusal } from './scripted-telegram-text.ts'

/** The updates for the bot, which come by long polling or by webhook. */
export type TelegramUpdates = ReturnType<typeof telegramUpdates>

type Parameters = Readonly<Record<string, unknown>>

interface Webhook {
  readonly url: string
  readonly secret: string | undefined
}

/** The first and the longest delay after a webhook refused an update, in ms. */
const FIRST_DELAY = 10
const LONGEST_DELAY = 320
/** Kinds of updates that a bot gets only if it names them in `allowed_updates`. */
const OPT_IN_KINDS = new Set(['chat_member', 'message_reaction', 'message_reaction_count'])

export function telegramUpdates() {
  const all: Update[] = []
  const redelivered: Update[] = []
  let waiting: Update[] = []
  let allowed: readonly string[] = []
  let webhook: Webhook | undefined
  let lastError: { last_error_date: number; last_error_message: string } | undefined
  let longPoll: { wake(): void; end(): void } | undefined
  let isDelivering = false
  let closed = false

  function isWanted(update: object): boolean {
    const kind = Object.keys(update).find((key) => key !== 'update_id') ?? ''
    return allowed.length > 0 ? allowed.includes(kind) : !OPT_IN_KINDS.has(kind)
  }

  function allow(kinds: unknown): void {
    if (Array.isArray(kinds)) allowed = kinds.map(String)
  }

  function notify(): void {
    longPoll?.wake()
    if (webhook && !isDelivering) void deliver()
  }

  async function deliver(): Promise<void> {
    isDelivering = true
    let wait = FIRST_DELAY
    for (;;) {
      const next = redelivered[0] ?? waiting[0]
      if (!webhook || closed || !next) break
      // oxlint-disable-next-line no-await-in-loop -- updates keep their order
      const fault = await post(webhook, next)
      if (fault === undefined) {
        if (redelivered[0] === next) redelivered.shift()
        else waiting = waiting.filter((update) => update !== next)
        wait = FIRST_DELAY
        continue
      }
      lastError = { last_error_date: Math.floor(Date.now() / 1000), last_error_message: fault }
      // oxlint-disable-next-line no-await-in-loop -- as above
      await new Promise((resolve) => setTimeout(resolve, wait))
      wait = Math.min(LONGEST_DELAY, wait * 2)
    }
    isDelivering = false
  }

  return {
    get waiting() {
      return [...redelivered, ...waiting]
    },

    add(news: Omit<Update, 'update_id'>) {
      const update: Update = { update_id: 500_001 + all.length, ...news }
      all.push(update)
      if (isWanted(news)) waiting.push(update)
      notify()
      return update
    },

    redeliver(updateId: number) {
      const update = all.find(({ update_id: id }) => id === updateId)
      if (!update) throw new Error(`There was no update ${updateId}.`)
      redelivered.push(update)
      notify()
    },

    /** `gone` aborts when the client disconnects, so that no update is lost. */
    async getUpdates({ offset = 0, limit = 100, timeout = 0, allowed_updates: kinds }: Parameters, gone: AbortSignal) {
      if (webhook) {
        throw new BotApiRefusal(
          409,
          "Conflict: can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first",
        )
      }
      allow(kinds)
      longPoll?.end()
      const first = Number(offset)
      waiting = first < 0 ? waiting.slice(first) : waiting.filter(({ update_id: id }) => id >= first)
      if (waiting.length + redelivered.length === 0 && Number(timeout) > 0) {
        const ended = await new Promise<'woken' | 'ended'>((resolve) => {
          const timer = setTimeout(resolve, Number(timeout) * 1000, 'woken')
          const finish = (how: 'woken' | 'ended') => {
            clearTimeout(timer)
            resolve(how)
          }
          gone.addEventListener('abort', () => finish('ended'))
          longPoll = { wake: () => finish('woken'), end: () => finish('ended') }
        })
        if (ended === 'ended') {
          throw new BotApiRefusal(
            409,
            'Conflict: terminated by other getUpdates request; make sure that only one bot instance is running',
          )
        }
        longPoll = undefined
      }
      return [...redelivered.splice(0), ...waiting].slice(0, Math.min(100, Number(limit) || 100))
    },

    setWebhook({ url, secret_token: secret, allowed_updates: kinds, drop_pending_updates: drop }: Parameters) {
      if (typeof url !== 'string') throw badRequest('url is not specified')
      if (secret !== undefined && !(typeof secret === 'string' && /^[\w-]{1,256}$/.test(secret))) {
        throw badRequest('secret token contains unallowed characters')
      }
      allow(kinds)
      if (drop) waiting = []
      webhook = url === '' ? undefined : { url, secret }
      lastError = undefined
      longPoll?.end()
      notify()
      return true
    },

    deleteWebhook({ drop_pending_updates: drop }: Parameters) {
      if (drop) waiting = []
      webhook = undefined
      return true
    },

    getWebhookInfo: () => ({
      url: webhook?.url ?? '',
      has_custom_certificate: false,
      pending_update_count: waiting.length + redelivered.length,
      max_connections: 40,
      ...(allowed.length > 0 ? { allowed_updates: allowed } : {}),
      ...lastError,
    }),

    close() {
      closed = true
      longPoll?.wake()
    },
  }
}

/** Posts an update. Returns a description of the failure, if any. */
async function post({ url, secret }: Webhook, update: Update): Promise<string | undefined> {
  try {
    const headers = { 'content-type': 'application/json', ...defined({ 'x-telegram-bot-api-secret-token': secret }) }
    const body = JSON.stringify(update)
    const response = await fetch(url, { method: 'POST', headers, body, signal: AbortSignal.timeout(10_000) })
    await response.arrayBuffer()
    return response.ok ? undefined : `Wrong response from the webhook: ${response.status} ${response.statusText}`
  } catch (error) {
    return `Connection failed: ${String(error)}`
  }
}
