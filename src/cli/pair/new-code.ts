import type { PairingCode } from '../../runtime.ts'
import { ask } from '../answer.ts'
import type { CommandCall, Io } from '../../capability.ts'
import { connected } from '../connection.ts'
import { note, print, printJson } from '../io.ts'
import { validConfiguration } from '../load-configuration.ts'
import { channelOf } from './channel-of.ts'

/** Shows a new code, and what to do with it. */
export async function newPairingCode(call: CommandCall, io: Io): Promise<number> {
  const body = { channel: channelOf(call) }
  const { made, isRunning } = await connected(call.home, io, 'write', async (connection) => ({
    made: await ask<PairingCode>(connection, '/api/pairings/code', { method: 'POST', body }),
    isRunning: !connection.inProcess,
  }))
  if (call.json) printJson(io, made)
  else {
    const bot = body.channel === 'telegram' ? 'your Telegram bot' : `your bot on ${body.channel}`
    note(io, `Send this to ${bot}, from the chat that should be let in:`)
    print(io, `/pair ${made.code}`)
    note(io, 'It holds for ten minutes and works once. A code that was shown before works no longer.')
    if (body.channel === 'telegram') note(io, `In a group name the bot: /pair@NAME_OF_YOUR_BOT ${made.code}`)
  }
  if (body.channel === 'telegram' && !(await hasTelegram(call.home, io))) {
    note(io, 'No bot is configured yet: set channels.telegram in config.json, as docs/guide/telegram.md says.')
  }
  if (!isRunning) note(io, 'No gateway runs on this home. Start one with `foreword start` while the code holds.')
  return 0
}

async function hasTelegram(home: string, io: Io): Promise<boolean> {
  return (await validConfiguration(home, io)).channels.telegram !== undefined
}
