import { exactLine } from '../../context.ts'
import type { Command, CommandCall, Connection, Io } from '../../capability.ts'
import type { PairedChat, PairingCode } from '../../runtime.ts'
import { answer, ask, pathTo } from '../answer.ts'
import { jsonOption, noQuestion } from '../arguments.ts'
import { connected } from '../connection.ts'
import { CommandFailure } from '../failure.ts'
import { lineLimit, note, print, printJson } from '../io.ts'
import { validConfiguration } from '../load-configuration.ts'
import { runSubcommand, type Subcommand } from '../subcommand.ts'
import { fittedTable } from '../table.ts'
import { timeText } from '../time-text.ts'

export const pairCommand: Command = {
  name: 'pair',
  summary: 'let a chat talk to your agent',
  usage: ['pair [--channel NAME] [--json]', 'pair list [--channel NAME] [--json]', 'pair remove CHAT [--channel NAME]'],
  details:
    'It shows a code. Send it to your bot from the chat that should be let in, as `/pair CODE`, within ten minutes; it ' +
    'works once. Whoever is not let in reaches no model. CHAT is the id of a chat, or its title. An id that begins with a ' +
    'dash goes behind `--`.',
  words: { least: 0, most: 2 },
  options: {
    channel: { value: 'NAME', summary: 'where the chat is (telegram unless said)' },
    yes: noQuestion,
    json: jsonOption,
  },
  run: (call, io) => runSubcommand(pairCommand, subcommands, 'code', call, io),
}

const subcommands: Readonly<Record<string, Subcommand>> = {
  code: { least: 0, most: 0, forPersons: 'let chats in', run: newPairingCode },
  list: { least: 0, most: 0, run: listPairings },
  remove: { least: 1, most: 1, forPersons: 'take chats out', run: removePairing },
}

/** Shows a new code, and what to do with it. */
async function newPairingCode(call: CommandCall, io: Io): Promise<number> {
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

/** One paired chat a line; those of all channels unless one is named. */
async function listPairings(call: CommandCall, io: Io): Promise<number> {
  const channel = call.text('channel')
  const chats = await connected(call.home, io, 'read', (connection) => fetchPairings(connection, channel))
  if (call.json) for (const chat of chats) printJson(io, chat)
  else if (chats.length === 0) note(io, 'No chat is let in. `foreword pair` shows a code that lets one in.')
  else print(io, pairingTable(chats, io))
  return 0
}

export async function fetchPairings(
  connection: Connection,
  channel: string | undefined,
): Promise<readonly PairedChat[]> {
  const query = channel === undefined ? '' : `?channel=${encodeURIComponent(channel)}`
  return (await ask<{ pairings: readonly PairedChat[] }>(connection, `/api/pairings${query}`)).pairings
}

function pairingTable(chats: readonly PairedChat[], io: Io): string {
  const now = new Date()
  const rows = chats.map(({ channel, chat, kind, title, time }) => [
    channel,
    exactLine(chat),
    kind,
    exactLine(title),
    timeText(time, now),
  ])
  const head = ['channel', 'chat', 'kind', 'title', 'since']
  return fittedTable([head, ...rows], { columns: lineLimit(io), spare: [2, 4] })
}

/** Takes a chat out. */
async function removePairing(call: CommandCall, io: Io): Promise<number> {
  const channel = channelOf(call)
  const removed = await connected(call.home, io, 'write', async (connection) => {
    const found = theChat(call.words[1]!, await fetchPairings(connection, channel), channel)
    await answer(connection, pathTo('/api/pairings/', channel, '/', found.chat), { method: 'DELETE' })
    return found
  })
  if (call.json) printJson(io, { channel, removed: removed.chat })
  else note(io, `${exactLine(removed.title)} (${exactLine(removed.chat)}) is out: what is said there reaches no model.`)
  return 0
}

/** By its id, or by its title in any case where only one has it. */
function theChat(word: string, chats: readonly PairedChat[], channel: string): PairedChat {
  const named = chats.filter(({ title }) => title.toLowerCase() === word.toLowerCase())
  const [found, ...others] = chats.filter(({ chat }) => chat === word).concat(named)
  if (found !== undefined && (found.chat === word || others.length === 0)) return found
  const hint = '`foreword pair list` lists them; name it by its id.'
  if (found === undefined) throw new CommandFailure('not-found', `no chat ${word} is paired on ${channel}.`, { hint })
  throw new CommandFailure('ambiguous', `${named.length} chats are called ${word}.`, { hint })
}

/** The channel that a command is about. */
function channelOf(call: CommandCall): string {
  return call.text('channel') ?? 'telegram'
}
