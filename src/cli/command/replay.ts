import type { Replay } from '../../runtime.ts'
import { requestJson, apiPath } from '../answer.ts'
import { jsonOption } from '../arguments.ts'
import type { Command, CommandCall, GatewayConnection, Io } from '../../capability.ts'
import { withConnection } from '../connection.ts'
import { findSession } from '../find-session.ts'
import { print, printJson, applyStyle } from '../io.ts'

export const replayCommand: Command = {
  name: 'replay',
  summary: 'rebuild every call of a session and compare',
  usage: ['replay SESSION [--json]'],
  details:
    'Prints `N of N identical`, and how many of the request bodies that were sent to a provider can be rebuilt byte for byte. The exit code is 1 ' +
    'if a request or a body differs.',
  words: { least: 1, most: 1 },
  options: { json: jsonOption },
  run: (call, io) => withConnection(call.home, io, 'read', (connection) => replaySession(connection, call, io)),
}

async function replaySession(connection: GatewayConnection, call: CommandCall, io: Io): Promise<number> {
  const session = await findSession(connection, call.words[0]!)
  const result = await requestJson<Replay>(connection, apiPath('/api/sessions/', session, '/replay'))
  if (call.json) printJson(io, result)
  else print(io, replayText(result, io))
  const same = result.identical === result.calls && (result.wires?.different.length ?? 0) === 0
  return same ? 0 : 1
}

function replayText(result: Replay, io: Io): string {
  const whole = result.identical === result.calls
  return [
    applyStyle(io, whole ? 'green' : 'red', `${result.identical} of ${result.calls} identical`),
    ...result.different.map(
      ({ call, expected, got, problem }) => `${call}: ${problem ?? `sha256 ${got} instead of ${expected}`}`,
    ),
    ...wireLines(result, io),
  ].join('\n')
}

function wireLines({ wires }: Replay, io: Io): readonly string[] {
  if (!wires) return []
  const { identical, different, unknown } = wires
  const count = identical + different.length
  const unmade = unknown.length === 0 ? '' : `, ${unknown.length} cannot be rebuilt to compare`
  return [
    applyStyle(
      io,
      different.length === 0 ? 'green' : 'red',
      `${identical} of ${count} bodies identical to what was sent${unmade}`,
    ),
    ...different.map(({ call, expected, got }) => `${call}: body sha256 ${got} instead of ${expected}`),
    ...new Set(unknown.map(({ why }) => why)),
  ]
}
