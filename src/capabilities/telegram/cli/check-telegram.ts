import type { Configuration, PairedChat } from '../../../runtime.ts'
import { connected, fetchPairings, ok, problem, warning } from '../../../cli.ts'
import type { Finding, Io } from '../../../capability.ts'
import { telegramToken } from './telegram-token.ts'

/** Whether the bot has its token, and whether anybody may talk to it. Nothing where no bot is configured. */
export async function checkTelegram(
  { channels: { telegram } }: Configuration,
  home: string,
  hasStore: boolean,
  io: Io,
): Promise<readonly Finding[]> {
  if (!telegram) return []
  const found = await telegramToken(telegram, io.environment)
  if (!('token' in found))
    return [
      problem(
        'telegram',
        `it is left out: ${found.why}`,
        "Put the bot's token there; docs/guide/telegram.md says how.",
      ),
    ]
  const isThere = io.connect !== undefined || hasStore
  const paired: readonly PairedChat[] = isThere
    ? await connected(home, io, 'read', (connection) => fetchPairings(connection, 'telegram')).catch(() => [])
    : []
  const chats = paired.length + telegram.allowedUsers.length + telegram.allowedChats.length
  return chats === 0
    ? [warning('telegram', 'nobody may talk to the bot yet', '`foreword pair` shows a code that lets a chat in.')]
    : [ok('telegram', `${chats === 1 ? '1 chat or person is' : `${chats} chats and persons are`} let in`)]
}
