import { randomBytes } from 'node:crypto'
import type { Channel } from '../../capability.ts'
import { type OpenTelegram, openTelegram } from './open-telegram.ts'
import type { TelegramOptions } from './telegram-options.ts'
import { answerWebhook } from './webhook.ts'

/** Where Telegram calls, unless the address of the webhook names a path. */
const WEBHOOK_PATH = '/channels/telegram'

/** People reach the agent through a Telegram bot: in their own chats, and in groups where they mention it. */
export function telegramChannel(options: TelegramOptions): Channel {
  const ending = new AbortController()
  const { signal } = ending
  const opening = Promise.withResolvers<OpenTelegram>()
  opening.promise.catch(() => {})
  let open: OpenTelegram | undefined
  const webhook = options.webhook && {
    url: addressOf(options.webhook.url),
    secret: options.webhook.secret ?? randomBytes(32).toString('base64url'),
  }

  /** Answers a call of Telegram, and checks by its secret that it is one. Never rejects. */
  const answer = (request: Request) =>
    answerWebhook(request, {
      secret: webhook?.secret,
      async accept(update) {
        const updates = open?.updates()
        if (!updates || signal.aborted) throw new Error('The channel does not listen.')
        await updates.accept(update)
      },
    })

  return {
    name: 'telegram',
    ...(webhook && { hook: { path: new URL(webhook.url).pathname, handle: answer } }),
    async start(context) {
      open = await openTelegram(context, { ...options, webhook, signal })
      opening.resolve(open)
    },
    async stop() {
      ending.abort(new Error('The gateway stops.'))
      opening.reject(signal.reason)
      await open?.settled()
    },
    // A reply may be there before everything is: it waits for that.
    deliver: async (reply) => (await opening.promise).replies.deliver(reply),
    warnings() {
      const trouble = open?.trouble()
      return trouble === undefined ? [] : [trouble]
    },
  }
}

function addressOf(url: string): string {
  const address = new URL(url)
  if (address.pathname === '/') address.pathname = WEBHOOK_PATH
  return address.href
}
