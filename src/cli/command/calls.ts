import { requestJson, apiPath } from '../answer.ts'
import { jsonOption } from '../arguments.ts'
import { type Command, type CommandCall, exactMoneyText, type GatewayConnection, type Io } from '../../capability.ts'
import { withConnection } from '../connection.ts'
import { type CallLine, findCall, findSession } from '../find-session.ts'
import { isForeignAccount, foreignCallText, type PricedManifest } from '../sessions/foreign-call.ts'
import { foreignCallsText } from '../sessions/foreign-calls.ts'
import type { CallRecord } from '../../session.ts'
import { lineLimit, print, printJson, printList } from '../io.ts'
import { outlineText } from '../preview.ts'
import { fittedTable } from '../table.ts'
import { timeText } from '../time-text.ts'

export const callsCommand: Command = {
  name: 'calls',
  summary: 'list the model calls of a session, or show what one of them read',
  usage: ['calls SESSION [--json]', 'calls SESSION CALL [--json]'],
  details:
    'Prompt tokens appear twice: as counted before the call, and as the provider reported them (`-` where it reported ' +
    'none). With a call, each candidate of it has a line, and what was left out or shortened has a sentence with the ' +
    'numbers that decided. Print what a call sent with `foreword request CALL`; compare two with `foreword diff CALL CALL`.\nCalls of ' +
    'another program have their turn, what each was for, and what changed since the call before; one of them is shown by layer, ' +
    'with what each part cost.',
  words: { least: 1, most: 2 },
  options: { json: { ...jsonOption, summary: 'print one record per line, or the manifest of the call' } },
  run: (call, io) =>
    withConnection(call.home, io, 'read', (connection) =>
      call.words.length > 1 ? showCall(connection, call, io) : listCalls(connection, call, io),
    ),
}

async function showCall(connection: GatewayConnection, call: CommandCall, io: Io): Promise<number> {
  const [session, word] = call.words
  const id = await findCall(connection, word!, session)
  const manifest = await requestJson<PricedManifest>(connection, apiPath('/api/calls/', id, '/manifest'))
  if (call.json) printJson(io, manifest)
  else if (isForeignAccount(manifest)) {
    const record = await requestJson<CallRecord>(connection, apiPath('/api/calls/', id))
    print(io, foreignCallText(record, manifest, io))
  } else print(io, outlineText(manifest, io))
  return 0
}

async function listCalls(connection: GatewayConnection, call: CommandCall, io: Io): Promise<number> {
  const session = await findSession(connection, call.words[0]!)
  const list = await requestJson<{ readonly calls: readonly CallLine[] }>(
    connection,
    apiPath('/api/sessions/', session, '/calls?limit=1000'),
  )
  if (!call.json && list.calls.some(({ foreign }) => foreign)) {
    print(io, foreignCallsText(list.calls, session, io))
    return 0
  }
  const empty = `No calls in session ${session} yet. Send a message with \`foreword chat --session ${session}\`.`
  return printList(list.calls, { empty, table: callTable }, call, io)
}

function callTable(calls: readonly CallLine[], io: Io): string {
  const now = new Date()
  const head = ['call', 'time', 'model', 'counted', 'reported', 'cached', 'output', 'cost', 'end']
  const rows = [head, ...calls.map((line) => callRow(line, now))]
  return fittedTable(rows, { right: [3, 4, 5, 6, 7], columns: lineLimit(io), spare: [5, 2, 6, 3, 8] })
}

function callRow({ id, time, model, used, outcome, kind, cutRecord, cost }: CallLine, now: Date): readonly string[] {
  return [
    id,
    timeText(time, now),
    model,
    String(used),
    tokensText(outcome?.usage?.promptTokens),
    tokensText(outcome?.usage?.cachedTokens),
    tokensText(outcome?.usage?.outputTokens),
    cost === undefined ? '-' : exactMoneyText(cost),
    outcome?.error?.code ??
      ([kind, cutRecord && `cut ${cutRecord.turns}`, outcome?.finish, outcome?.warning?.code]
        .filter(Boolean)
        .join(', ') ||
        '-'),
  ]
}

/** `-` where the provider did not report a number. */
function tokensText(tokens: number | undefined): string {
  return tokens === undefined ? '-' : String(tokens)
}
