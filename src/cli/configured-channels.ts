import { readFile } from 'node:fs/promises'
import type { Channel, Configuration } from '../runtime.ts'
import type { Hook } from '../server.ts'
import type { Io } from './io.ts'

/** Channels as the configuration has them, and the doors at which their services call. */
export interface ConfiguredChannels {
  readonly channels: readonly Channel[]
  /** By path. */
  readonly hooks: Readonly<Record<string, Hook>>
}

/** A channel that cannot be had, because it has no token for instance, is told of, and the gateway runs without it. */
export async function configuredChannels(
  { channels: { telegram }, files }: Configuration,
  { environment }: Pick<Io, 'environment'>,
  warn: (text: string) => void,
): Promise<ConfiguredChannels> {
  if (!telegram) return { channels: [], hooks: {} }
  const token = await tokenOf(telegram, environment, warn)
  if (token === undefined) return { channels: [], hooks: {} }
  const { telegramChannel, telegramWebhookPath } = await import('../channel.ts')
  const { allowedUsers, allowedChats, linkPreviews, apiRoot, webhook } = telegram
  const secret = webhook?.secretEnv === undefined ? undefined : environment[webhook.secretEnv]
  if (webhook?.secretEnv !== undefined && !secret) {
    warn(
      `The environment variable ${webhook.secretEnv} is not set, so a secret for Telegram's calls was drawn. Set it, or take channels.telegram.webhook.secretEnv out.`,
    )
  }
  const channel = telegramChannel({
    token,
    apiRoot,
    allowedUsers,
    allowedChats,
    linkPreviews,
    maxFileBytes: files.maxBytes,
    ...(webhook ? { webhook: { url: webhook.url, ...(secret ? { secret } : {}) } } : {}),
  })
  if (!webhook) return { channels: [channel], hooks: {} }
  const { pathname } = new URL(webhook.url)
  return { channels: [channel], hooks: { [pathname === '/' ? telegramWebhookPath : pathname]: channel.webhook } }
}

type Telegram = NonNullable<Configuration['channels']['telegram']>

async function tokenOf(
  { tokenEnv, tokenFile }: Telegram,
  environment: Io['environment'],
  warn: (text: string) => void,
): Promise<string | undefined> {
  const without = (why: string) => void warn(`Telegram is left out: ${why}`)
  if (tokenEnv === undefined && tokenFile === undefined) {
    return without("no token is named. Set channels.telegram.tokenEnv or tokenFile to where the bot's token is.")
  }
  const found = (tokenEnv !== undefined && environment[tokenEnv]?.trim()) || undefined
  if (found !== undefined) return found
  if (tokenFile === undefined) return without(`the environment variable ${tokenEnv} is not set.`)
  try {
    const text = (await readFile(tokenFile, 'utf8')).trim()
    return text === '' ? without(`the file ${tokenFile} is empty.`) : text
  } catch (error) {
    const why = error instanceof Error && 'code' in error ? String(error.code) : 'it fails'
    return without(`the file ${tokenFile} of the bot's token cannot be read (${why}).`)
  }
}
