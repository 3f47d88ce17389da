import type { Comparison } from '../../context.ts'
import { requestJson, apiPath } from '../answer.ts'
import { callSessionOption, jsonOption } from '../arguments.ts'
import type { Command, CommandCall, GatewayConnection, Io } from '../../capability.ts'
import { withConnection } from '../connection.ts'
import { findCall } from '../find-session.ts'
import { print, printJson, safeForTerminal } from '../io.ts'

export const diffCommand: Command = {
  name: 'diff',
  summary: 'compare what two calls sent',
  usage: ['diff CALL CALL [--session ID] [--json]'],
  details:
    'Lists the pieces that were added, removed, moved or changed, how much of the beginning is identical, what changed ' +
    'first, and why. Compare the newest two calls with `foreword diff last~1 last`.',
  words: { least: 2, most: 2 },
  options: { session: callSessionOption, json: jsonOption },
  run: (call, io) => withConnection(call.home, io, 'read', (connection) => compareCalls(connection, call, io)),
}

async function compareCalls(connection: GatewayConnection, call: CommandCall, io: Io): Promise<number> {
  const session = call.text('session')
  const [before, after] = await Promise.all(call.words.map((word) => findCall(connection, word, session)))
  const comparison = await requestJson<Comparison>(connection, apiPath('/api/diff?before=', before!, '&after=', after!))
  if (call.json) {
    printJson(io, comparison)
    return 0
  }
  const { compareText } = await import('../../context.ts')
  print(io, safeForTerminal(compareText(comparison).trimEnd(), io.stdout))
  return 0
}
