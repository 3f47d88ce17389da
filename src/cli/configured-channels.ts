import type { Channel, Configuration } from '../runtime.ts'
import type { Hook } from '../server.ts'
import type { Io } from './io.ts'
import { telegramToken } from '../capabilities/telegram/cli/telegram-token.ts'

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
  const found = await telegramToken(telegram, environment)
  if (!('token' in found)) {
    warn(`Telegram is left out: ${found.why}`)
    return { channels: [], hooks: {} }
  }
  const { telegramChannel } = await import('../channel.ts')
  const { allowedUsers, allowedChats, linkPreviews, apiRoot, webhook } = telegram
  const secret = webhook?.secretEnv === undefined ? undefined : environment[webhook.secretEnv]
  if (webhook?.secretEnv !== undefined && !secret) {
    warn(
      `The environment variable ${webhook.secretEnv} is not set, so a secret for Telegram's calls was drawn. Set it, or take channels.telegram.webhook.secretEnv out.`,
    )
  }
  const channel = telegramChannel({
    token: found.token,
    apiRoot,
    allowedUsers,
    allowedChats,
    linkPreviews,
    maxFileBytes: files.maxBytes,
    ...(webhook ? { webhook: { url: webhook.url, ...(secret ? { secret } : {}) } } : {}),
  })
  const { webhookPath } = channel
  return { channels: [channel], hooks: webhookPath === undefined ? {} : { [webhookPath]: channel.webhook } }
}
