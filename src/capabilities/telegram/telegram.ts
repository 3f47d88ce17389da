import { capability, type CapabilityHost, type Channel, type CheckContext, type Finding } from '../../capability.ts'
import { type TelegramSettings, telegram as settings } from './telegram-schema.ts'

/** People talk to the agent through a Telegram bot: in their own chats, and in groups where they mention it. */
export const telegram = capability<TelegramSettings | undefined>({
  name: 'telegram',
  summary: 'Conversations through a Telegram bot, in chats that were paired.',
  settings: settings.optional().describe('A Telegram bot.'),
  settingsKey: 'channels.telegram',
  settingsWarnings(given) {
    if (!given) return []
    const wrong = (key: string, message: string, ids: readonly number[]) =>
      ids.map((id) => ({ key, message: `has ${id}: ${message}`, hint: 'Take it out.' }))
    return [
      ...wrong(
        'allowedUsers',
        'ids of people are above 0',
        given.allowedUsers.filter((id) => id <= 0),
      ),
      ...wrong(
        'allowedChats',
        'ids of groups are below 0',
        given.allowedChats.filter((id) => id >= 0),
      ),
    ]
  },
  checks: checkTelegram,
  channels: openChannel,
})

/** Where it cannot be had, because it has no token for instance, the gateway runs without it. */
async function openChannel({
  settings: given,
  environment,
  choices,
  settingsOf,
  warn,
}: CapabilityHost<TelegramSettings | undefined>): Promise<readonly Channel[]> {
  if (!given) return []
  const { telegramToken } = await import('./telegram-token.ts')
  const found = await telegramToken(given, environment)
  if (!('token' in found)) {
    warn(`Telegram is left out: ${found.why}`)
    return []
  }
  const { allowedUsers, allowedChats, linkPreviews, apiRoot, webhook } = given
  const secret = webhook?.secretEnv === undefined ? undefined : environment[webhook.secretEnv]
  if (webhook?.secretEnv !== undefined && !secret) {
    warn(
      `The environment variable ${webhook.secretEnv} is not set, so a secret for Telegram's calls was drawn. Set it, or take channels.telegram.webhook.secretEnv out.`,
    )
  }
  const { maxBytes = 20_000_000 } = (settingsOf('files') ?? {}) as { readonly maxBytes?: number }
  const { telegramChannel } = await import('./telegram-channel.ts')
  return [
    telegramChannel({
      token: found.token,
      apiRoot,
      allowedUsers,
      allowedChats,
      linkPreviews,
      choices,
      maxFileBytes: maxBytes,
      ...(webhook ? { webhook: { url: webhook.url, ...(secret ? { secret } : {}) } } : {}),
    }),
  ]
}

/** Whether the bot has its token, and whether anybody may talk to it. Nothing where no bot is configured. */
async function checkTelegram({
  settings: given,
  environment,
  get,
}: CheckContext<TelegramSettings | undefined>): Promise<readonly Finding[]> {
  if (!given) return []
  const { ok, problem, warning } = await import('../../cli.ts')
  const { telegramToken } = await import('./telegram-token.ts')
  const found = await telegramToken(given, environment)
  if (!('token' in found)) {
    const hint = "Put the bot's token there; docs/guide/telegram.md says how."
    return [problem('telegram', `it is left out: ${found.why}`, hint)]
  }
  const answer = await get<{ readonly pairings: readonly unknown[] }>('/api/pairings?channel=telegram')
  const chats = (answer?.pairings ?? []).length + given.allowedUsers.length + given.allowedChats.length
  return chats === 0
    ? [warning('telegram', 'nobody may talk to the bot yet', '`foreword pair` shows a code that lets a chat in.')]
    : [ok('telegram', `${chats === 1 ? '1 chat or person is' : `${chats} chats and persons are`} let in`)]
}
