import type { PairedChat } from '../../runtime.ts'
import { answer, pathTo } from '../answer.ts'
import type { CommandCall } from '../command.ts'
import { connected } from '../connection.ts'
import { exactLine } from '../exact-text.ts'
import { CommandFailure } from '../failure.ts'
import { type Io, note, printJson } from '../io.ts'
import { channelOf } from './channel-of.ts'
import { fetchPairings } from './list.ts'

/** Takes a chat out. */
export async function removePairing(call: CommandCall, io: Io): Promise<number> {
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
