import { readFile } from 'node:fs/promises'
import { z } from 'zod'
import {
  capability,
  type CapabilityHost,
  type Channel,
  type CheckContext,
  environmentVariable,
  type Finding,
  homePath,
} from '../../capability.ts'
import { defined } from '../../platform.ts'

const webhook = z.strictObject({
  url: z
    .url({ protocol: /^https$/ })
    .describe('Public address of the gateway. Without a path, /channels/telegram is added.'),
  secretEnv: environmentVariable()
    .optional()
    .describe("Environment variable with the secret of Telegram's calls. Without it, the gateway generates one."),
})

const settings = z.strictObject({
  tokenEnv: environmentVariable().optional().describe("Environment variable with the bot's token."),
  tokenFile: homePath({ path: 'file' })
    .optional()
    .describe("File with the bot's token, relative to the home directory."),
  allowedUsers: z.array(z.int()).default([]).describe('Ids of the people who may talk to the bot.'),
  allowedChats: z
    .array(z.int())
    .default([])
    .describe('Ids of the groups in which the bot answers when it is mentioned.'),
  linkPreviews: z
    .boolean()
    .default(false)
    .describe('Whether Telegram fetches the pages that a reply links to. A preview can leak data through its address.'),
  apiRoot: z
    .url({ protocol: /^https?$/ })
    .default('https://api.telegram.org')
    .describe('Address of the Bot API. A Bot API server of your own accepts larger files.'),
  webhook: webhook.optional().describe('Telegram calls the gateway. Without it, the gateway polls Telegram.'),
})

interface TelegramSettings extends z.output<typeof settings> {
  /** The home is that of a person: what is theirs comes over the bot of the owner. */
  readonly ofPerson?: true
}

/** People talk to the agent through a Telegram bot: in their own chats, and in groups where they mention it. */
export const telegram = capability<TelegramSettings | undefined>({
  name: 'telegram',
  summary: 'Conversations through a Telegram bot, in paired chats.',
  settings: {
    schema: settings.optional().describe('A Telegram bot.'),
    key: 'channels.telegram',
    warnings(given) {
      const { allowedUsers = [], allowedChats = [] } = given ?? {}
      const wrong = (key: string, ids: readonly number[], message: string) =>
        ids.map((id) => ({ key, message: `has ${id}: ${message}`, hint: 'Remove it.' }))
      const people = allowedUsers.filter((id) => id <= 0)
      const groups = allowedChats.filter((id) => id >= 0)
      return [
        ...wrong('allowedUsers', people, 'ids of people are above 0'),
        ...wrong('allowedChats', groups, 'ids of groups are below 0'),
      ]
    },
    ofPerson: (given) => given && { ...given, allowedUsers: [], allowedChats: [], webhook: undefined, ofPerson: true },
  },
  checks: checkTelegram,
  channels: openChannel,
  notices: { pairing: (code) => [`In a group, name the bot: /pair@NAME_OF_YOUR_BOT ${code}`] },
})

/** Without a token there is a warning and no channel: the gateway runs without Telegram. */
async function openChannel({
  settings: given,
  environment,
  choices,
  settingsOf,
  warn,
  clock,
}: CapabilityHost<TelegramSettings | undefined>): Promise<readonly Channel[]> {
  if (!given) return []
  const found = await telegramToken(given, environment)
  if (!('token' in found)) {
    if (!given.ofPerson) warn(`Telegram is not available: ${found.why}`)
    return []
  }
  const { allowedUsers, allowedChats, linkPreviews, apiRoot, webhook: called } = given
  const secret = (called?.secretEnv === undefined ? undefined : environment[called.secretEnv]) || undefined
  if (called?.secretEnv !== undefined && !secret) {
    warn(
      `The environment variable ${called.secretEnv} is not set, so the gateway generated a secret for Telegram's calls. ` +
        'Set the variable, or remove channels.telegram.webhook.secretEnv.',
    )
  }
  const { maxBytes = 20_000_000 } = (settingsOf('files') ?? {}) as { readonly maxBytes?: number }
  const { telegramChannel } = await import('./telegram-channel.ts')
  return [
    telegramChannel({
      clock,
      token: found.token,
      apiRoot,
      allowedUsers,
      allowedChats,
      linkPreviews,
      choices,
      maxFileBytes: maxBytes,
      ofPerson: given.ofPerson ?? false,
      ...(called ? { webhook: { url: called.url, ...defined({ secret }) } } : {}),
    }),
  ]
}

/** Whether the bot has its token, and whether anyone may talk to it. Empty where no bot is configured. */
async function checkTelegram({
  settings: given,
  environment,
  get,
}: CheckContext<TelegramSettings | undefined>): Promise<readonly Finding[]> {
  if (!given) return []
  const { ok, problem, warning } = await import('../../cli.ts')
  const found = await telegramToken(given, environment)
  if (!('token' in found)) {
    const hint = "Put the bot's token there. `foreword docs telegram` explains how."
    return [problem('telegram', `not available: ${found.why}`, hint)]
  }
  const answer = await get<{ readonly pairings: readonly unknown[] }>('/api/pairings?channel=telegram')
  const chats = (answer?.pairings ?? []).length + given.allowedUsers.length + given.allowedChats.length
  return chats === 0
    ? [warning('telegram', 'nobody may talk to the bot yet', 'Run `foreword pair` and send the code to the bot.')]
    : [ok('telegram', `${chats === 1 ? '1 chat or person' : `${chats} chats and people`} may talk to the bot`)]
}

type TelegramToken = { readonly token: string } | { readonly why: string }

async function telegramToken(
  { tokenEnv, tokenFile }: Pick<TelegramSettings, 'tokenEnv' | 'tokenFile'>,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<TelegramToken> {
  if (tokenEnv === undefined && tokenFile === undefined) {
    return { why: "no token is configured. Set channels.telegram.tokenEnv or tokenFile to where the bot's token is." }
  }
  const token = tokenEnv === undefined ? undefined : environment[tokenEnv]?.trim()
  if (token) return { token }
  if (tokenFile === undefined) return { why: `the environment variable ${tokenEnv} is not set.` }
  try {
    const text = (await readFile(tokenFile, 'utf8')).trim()
    return text === '' ? { why: `the file ${tokenFile} is empty.` } : { token: text }
  } catch (error) {
    const why = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error'
    return { why: `the token file ${tokenFile} cannot be read (${why}).` }
  }
}
