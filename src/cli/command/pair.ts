import { rowTable } from '../table.ts'
import { exactLine } from '../../context.ts'
import { defined } from '../../platform.ts'
import type { AnyCapability, CommandCall, GatewayConnection, Io } from '../../capability.ts'
import type { PairedChat, PairingCode } from '../../runtime.ts'
import { sendRequest, requestJson, apiPath, requestList } from '../answer.ts'
import { yesOption } from '../arguments.ts'
import { withConnection } from '../connection.ts'
import { CommandFailure, usageFailure } from '../failure.ts'
import { findByName } from '../find-one.ts'
import { loadedCapabilities, note, print, printJson, printList, printChange } from '../io.ts'
import { loadValidConfiguration, withHomeCapabilities } from '../load-configuration.ts'
import { commandWithSubcommands } from '../subcommand.ts'
import { timeText } from '../time-text.ts'

export const pairCommand = commandWithSubcommands({
  name: 'pair',
  group: 'talk',
  summary: 'pair chats of a channel with your agent',
  details:
    '`code` prints a code. Send it to your bot as `/pair CODE` within ten minutes, from the chat to pair. A code works ' +
    'once. Messages of chats that are not paired never reach a model. CHAT is the id or the title of a chat. Write an id that begins with a ' +
    'dash after `--`.',
  options: {
    channel: { value: 'NAME', summary: 'the channel of the chat (default: the first one that can be configured)' },
    person: { value: 'NAME', summary: 'the chat will talk to the home of this person, with their limits' },
    yes: yesOption,
  },
  first: 'code',
  subcommands: {
    code: { usage: '[--channel NAME] [--person NAME] [--json]', forPersons: 'pair chats', run: newPairingCode },
    list: { usage: '[--channel NAME] [--json]', run: listPairings },
    remove: { usage: 'CHAT [--channel NAME]', forPersons: 'unpair chats', run: removePairing },
  },
})

async function newPairingCode(call: CommandCall, given: Io): Promise<number> {
  const io = await withHomeCapabilities(call.home, given)
  const owner = await channelOwner(call, io)
  const channel = owner.name
  const { made, isRunning } = await withConnection(call.home, io, 'write', async (connection) => ({
    made: await requestJson<PairingCode>(connection, '/api/pairings/code', {
      method: 'POST',
      body: { channel, ...defined({ person: call.text('person') }) },
    }),
    isRunning: !connection.inProcess,
  }))
  if (call.json) printJson(io, made)
  else {
    note(io, `Send this on ${channel}, from the chat to pair:`)
    print(io, `/pair ${made.code}`)
    note(io, 'The code is valid for ten minutes and works once. Earlier codes no longer work.')
    for (const line of owner.notices?.pairing?.(made.code) ?? []) note(io, line)
  }
  const key = await missingSettings(owner, call.home, io)
  if (key !== undefined)
    note(io, `The channel is not configured yet. Set ${key} in config.json; see \`foreword docs\`.`)
  if (!isRunning) note(io, 'No gateway runs on this home. Start one with `foreword start` while the code is valid.')
  return 0
}

/** The capability of the channel that `--channel` names, else the first one that has a channel. */
async function channelOwner(call: CommandCall, io: Io): Promise<AnyCapability> {
  const owners = (await loadedCapabilities(io)).filter(({ channels }) => channels !== undefined)
  const [first] = owners
  if (first === undefined)
    throw usageFailure('No capability provides a channel.', 'Add one that does to `capabilities` in config.json.')
  const word = call.text('channel')
  if (word === undefined) return first
  const hint = `Use one of ${owners.map(({ name }) => name).join(', ')}.`
  return findByName(word, owners, ({ name }) => ({ id: name, name }), 'channel', hint)
}

/** The configuration key of a channel that has no settings yet. */
async function missingSettings(owner: AnyCapability, home: string, io: Io): Promise<string | undefined> {
  if (owner.settings === undefined) return undefined
  const { capabilitySettings } = await import('../../runtime.ts')
  const settings = capabilitySettings(await loadValidConfiguration(home, io), owner)
  return settings === undefined ? (owner.settings.key ?? owner.name) : undefined
}

/** Prints one paired chat per line, of all channels unless one is named. */
async function listPairings(call: CommandCall, given: Io): Promise<number> {
  const io = await withHomeCapabilities(call.home, given)
  const channel = call.text('channel')
  const chats = await withConnection(call.home, io, 'read', (connection) => fetchPairings(connection, channel))
  // A channel that was removed may still have chats.
  if (chats.length === 0 && channel !== undefined) await channelOwner(call, io)
  const empty = 'No paired chats yet. Pair one with `foreword pair`.'
  return printList(chats, { empty, table: pairingTable }, call, io)
}

function fetchPairings(connection: GatewayConnection, channel: string | undefined): Promise<readonly PairedChat[]> {
  const query = channel === undefined ? '' : `?channel=${encodeURIComponent(channel)}`
  return requestList(connection, `/api/pairings${query}`, 'pairings')
}

function pairingTable(chats: readonly PairedChat[], io: Io): string {
  const now = new Date()
  const isShared = chats.some(({ home }) => home !== undefined)
  const rows = chats.map(({ channel, chat, kind, title, home, time }) => ({
    channel,
    chat: exactLine(chat),
    kind,
    title: exactLine(title),
    ...(isShared && { of: home ?? 'you' }),
    since: timeText(time, now),
  }))
  return rowTable(rows, io, { spare: ['kind', 'since'] })
}

async function removePairing(call: CommandCall, io: Io): Promise<number> {
  const channel = call.text('channel') ?? (await channelOwner(call, io)).name
  const removed = await withConnection(call.home, io, 'write', async (connection) => {
    const found = findChat(call.words[1]!, await fetchPairings(connection, channel), channel)
    await sendRequest(connection, apiPath('/api/pairings/', channel, '/', found.chat), { method: 'DELETE' })
    return found
  })
  const shown = `${exactLine(removed.title)} (${exactLine(removed.chat)})`
  const facts = { channel, removed: removed.chat }
  return printChange(facts, `Removed ${shown}. Its messages no longer reach a model.`, call, io)
}

/** Finds a chat by its id, or by its title in any case where only one has it. */
function findChat(word: string, chats: readonly PairedChat[], channel: string): PairedChat {
  const named = chats.filter(({ title }) => title.toLowerCase() === word.toLowerCase())
  const [found, ...others] = chats.filter(({ chat }) => chat === word).concat(named)
  if (found !== undefined && (found.chat === word || others.length === 0)) return found
  const hint = 'List the chats with `foreword pair list`, and name one by its id.'
  if (found === undefined)
    throw new CommandFailure('not-found', `No paired chat on ${channel} matches "${word}".`, { hint })
  throw new CommandFailure('ambiguous', `${named.length} chats have the title ${word}.`, { hint })
}
