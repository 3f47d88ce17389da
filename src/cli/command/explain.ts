import { requestJson, apiPath } from '../answer.ts'
import { jsonOption } from '../arguments.ts'
import {
  type Command,
  type CommandCall,
  exactMoneyText,
  type GatewayConnection,
  type Io,
  type SessionFindings,
} from '../../capability.ts'
import { exactLine } from '../../context.ts'
import { withConnection } from '../connection.ts'
import { findSession } from '../find-session.ts'
import { applyStyle, print, printJson } from '../io.ts'
import { type ListedSession, programText } from '../sessions/session-table.ts'

export const explainCommand: Command = {
  name: 'explain',
  summary: 'say what the calls of another program paid for without need',
  usage: ['explain SESSION [--json]'],
  details:
    'For a session of a program whose calls go through this gateway, such as Claude Code or Codex: tools that were never used, ' +
    'results that were read again, files that are in a request several times, and what broke the cache, each with its tokens ' +
    'over all calls of the session and their price. `foreword check --lint` does the same for calls of this gateway.',
  words: { least: 1, most: 1 },
  options: { json: { ...jsonOption, summary: 'print {session, calls, findings}' } },
  run: (call, io) => withConnection(call.home, io, 'read', (connection) => explainSession(connection, call, io)),
}

async function explainSession(connection: GatewayConnection, call: CommandCall, io: Io): Promise<number> {
  const id = await findSession(connection, call.words[0]!)
  const report = await requestJson<SessionFindings>(connection, apiPath('/api/sessions/', id, '/findings'))
  if (call.json) {
    printJson(io, report)
    return 0
  }
  const session = await requestJson<ListedSession>(connection, apiPath('/api/sessions/', id, '?cost=true'))
  print(io, explainText(session, report, io))
  return 0
}

function explainText({ id, program, cost }: ListedSession, { calls, findings }: SessionFindings, io: Io): string {
  if (program === undefined) {
    return `${id} is a session of this gateway: \`foreword calls ${id}\` shows its calls, \`foreword check --lint\` what they waste.`
  }
  const looked = `${calls.toLocaleString('en')} ${calls === 1 ? 'call' : 'calls'}`
  const money = cost?.money === undefined ? '' : `, ${exactMoneyText(cost.money)}`
  return [
    applyStyle(io, 'bold', `${programText(program)}, ${looked} with a reported usage${money}`),
    ...(findings.length === 0 ? ['Nothing was paid for without need that is worth a sentence.'] : []),
    ...findings.flatMap((finding) => ['', ...findingLines(finding, io)]),
    '',
    `The calls: foreword calls ${id}`,
  ].join('\n')
}

function findingLines(
  { code, severity, message, hint, cost, where }: SessionFindings['findings'][number],
  io: Io,
): readonly string[] {
  const { kind, tokens, money } = cost
  const amount = `${tokens.toLocaleString('en')} tokens ${kind === 'again' ? 'not read from the cache' : 'sent'}`
  const price = money === undefined ? '' : `, ${exactMoneyText(money)}`
  const calls = where.calls ?? []
  const first = calls.length === 0 ? '' : ` First in ${calls[0]!}.`
  return [
    `${applyStyle(io, severity === 'warning' ? 'yellow' : 'cyan', code)}: ${exactLine(message)}`,
    `  ${amount}${price}.${first}`,
    applyStyle(io, 'dim', `  ${exactLine(hint)}`),
  ]
}
