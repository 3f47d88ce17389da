import type { PairedChat } from '../../runtime.ts'
import { ask } from '../answer.ts'
import type { CommandCall, Connection, Io } from '../../capability.ts'
import { connected } from '../connection.ts'
import { exactLine } from '../exact-text.ts'
import { lineLimit, note, print, printJson } from '../io.ts'
import { fittedTable } from '../table.ts'
import { timeText } from '../time-text.ts'

/** One paired chat a line; those of all channels unless one is named. */
export async function listPairings(call: CommandCall, io: Io): Promise<number> {
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
