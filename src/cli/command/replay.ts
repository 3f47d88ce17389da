import type { Replay } from '../../runtime.ts'
import { ask, pathTo } from '../answer.ts'
import { type Command, type CommandCall, jsonOption } from '../command.ts'
import { connected, type Connection } from '../connection.ts'
import { type Io, print, printJson } from '../io.ts'
import { styled } from '../style.ts'

export const replay: Command = {
  name: 'replay',
  summary: 'build every call of a session again and compare',
  usage: ['replay SESSION [--json]'],
  details: 'Says `N of N identical`. Exit code 1 where a call cannot be built again byte for byte.',
  words: { least: 1, most: 1 },
  options: { json: jsonOption },
  run: (call, io) => connected(call.home, io, 'read', (connection) => replaySession(connection, call, io)),
}

async function replaySession(connection: Connection, call: CommandCall, io: Io): Promise<number> {
  const result = await ask<Replay>(connection, pathTo('/api/sessions/', call.words[0]!, '/replay'))
  if (call.json) printJson(io, result)
  else print(io, replayText(result, io))
  return result.identical === result.calls ? 0 : 1
}

function replayText(result: Replay, io: Io): string {
  const whole = result.identical === result.calls
  return [
    styled(io, whole ? 'green' : 'red', `${result.identical} of ${result.calls} identical`),
    ...result.different.map(
      ({ call, expected, got, problem }) => `${call}: ${problem ?? `sha256 ${got} instead of ${expected}`}`,
    ),
  ].join('\n')
}
