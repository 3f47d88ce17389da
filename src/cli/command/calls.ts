import { requestJson, apiPath } from '../answer.ts'
import { jsonOption } from '../arguments.ts'
import type { Command, CommandCall, GatewayConnection, Io } from '../../capability.ts'
import { withConnection } from '../connection.ts'
import { type CallLine, findSession } from '../find-session.ts'
import { lineLimit, printList } from '../io.ts'
import { fittedTable } from '../table.ts'
import { timeText } from '../time-text.ts'

export const callsCommand: Command = {
  name: 'calls',
  summary: 'list the model calls of a session',
  usage: ['calls SESSION [--json]'],
  details:
    'Prompt tokens appear twice: as counted before the call, and as the provider reported them (`-` where it reported ' +
    'none). Print what a call sent with `foreword request CALL`; compare two with `foreword diff CALL CALL`.',
  words: { least: 1, most: 1 },
  options: { json: { ...jsonOption, summary: 'print one record per line' } },
  run: (call, io) => withConnection(call.home, io, 'read', (connection) => listCalls(connection, call, io)),
}

async function listCalls(connection: GatewayConnection, call: CommandCall, io: Io): Promise<number> {
  const session = await findSession(connection, call.words[0]!)
  const list = await requestJson<{ readonly calls: readonly CallLine[] }>(
    connection,
    apiPath('/api/sessions/', session, '/calls?limit=1000'),
  )
  const empty = `No calls in session ${session} yet. Send a message with \`foreword chat --session ${session}\`.`
  return printList(list.calls, { empty, table: callTable }, call, io)
}

function callTable(calls: readonly CallLine[], io: Io): string {
  const now = new Date()
  const head = ['call', 'time', 'model', 'counted', 'reported', 'cached', 'output', 'end']
  const rows = [head, ...calls.map((line) => callRow(line, now))]
  return fittedTable(rows, { right: [3, 4, 5, 6], columns: lineLimit(io), spare: [5, 2, 6, 3, 7] })
}

function callRow({ id, time, model, used, outcome }: CallLine, now: Date): readonly string[] {
  return [
    id,
    timeText(time, now),
    model,
    String(used),
    tokensText(outcome?.usage?.promptTokens),
    tokensText(outcome?.usage?.cachedTokens),
    tokensText(outcome?.usage?.outputTokens),
    outcome?.error?.code ?? ([outcome?.finish, outcome?.warning?.code].filter(Boolean).join(', ') || '-'),
  ]
}

/** `-` where the provider did not report a number. */
function tokensText(tokens: number | undefined): string {
  return tokens === undefined ? '-' : String(tokens)
}
