import type { Configuration, PairedChat } from '../../../runtime.ts'
import { ok, problem, warning } from '../../../cli.ts'
import type { CheckContext, Finding } from '../../../capability.ts'
import { telegramToken } from './telegram-token.ts'

/** Whether the bot has its token, and whether anybody may talk to it. Nothing where no bot is configured. */
export async function checkTelegram({
  settings: telegram,
  environment,
  get,
}: CheckContext<Configuration['channels']['telegram']>): Promise<readonly Finding[]> {
  if (!telegram) return []
  const found = await telegramToken(telegram, environment)
  if (!('token' in found))
    return [
      problem(
        'telegram',
        `it is left out: ${found.why}`,
        "Put the bot's token there; docs/guide/telegram.md says how.",
      ),
    ]
  const answer = await get<{ readonly pairings: readonly PairedChat[] }>('/api/pairings?channel=telegram')
  const paired = answer?.pairings ?? []
  const chats = paired.length + telegram.allowedUsers.length + telegram.allowedChats.length
  return chats === 0
    ? [warning('telegram', 'nobody may talk to the bot yet', '`foreword pair` shows a code that lets a chat in.')]
    : [ok('telegram', `${chats === 1 ? '1 chat or person is' : `${chats} chats and persons are`} let in`)]
}
