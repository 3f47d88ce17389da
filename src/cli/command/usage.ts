import {
  type CallUsageRow,
  type Command,
  type CommandCall,
  type Io,
  type LayerUsageRow,
  moneyText,
  type ToolUsageRow,
  type UsageReport,
  type UsageSums,
} from '../../capability.ts'
import { exactLine } from '../../context.ts'
import { defined } from '../../platform.ts'
import { requestJson } from '../answer.ts'
import { jsonOption } from '../arguments.ts'
import { parseSince } from '../audit-filter.ts'
import { withConnection } from '../connection.ts'
import { usageFailure } from '../failure.ts'
import { lineLimit, note, print, printJson } from '../io.ts'
import { fittedTable, singleLine } from '../table.ts'

const groups = ['day', 'model', 'layer', 'tool', 'session'] as const satisfies readonly UsageReport['by'][]

export const usageCommand: Command = {
  name: 'usage',
  summary: 'add up what the calls used and cost, by day, model, layer, tool or session',
  usage: ['usage [--by WORD] [--since WHEN] [--json]'],
  details:
    'Tokens are as the providers reported them, and money is by the prices that are known now; calls without a report or a price ' +
    'are counted and not guessed. By layer, and definitions by tool: prompt tokens as Foreword counted them. Days are those of ' +
    'this machine.',
  words: { least: 0, most: 0 },
  options: {
    by: { value: 'WORD', summary: `${groups.slice(0, -1).join(', ')} or ${groups.at(-1)} (default: day)` },
    since: { value: 'WHEN', summary: 'only calls since a time, such as 2026-01-31, or a span, such as 12h, 7d, 4w' },
    json: { ...jsonOption, summary: 'print {by, from, zone, total, rows}' },
  },
  run: printUsage,
}

async function printUsage(call: CommandCall, io: Io): Promise<number> {
  const word = call.text('by') ?? 'day'
  const by = groups.find((group) => group === word)
  if (by === undefined) throw usageFailure(`--by must be one of ${groups.join(', ')}.`)
  const since = call.text('since')
  const from = since === undefined ? undefined : parseSince(since, Date.now())
  const { timeZone: zone } = Intl.DateTimeFormat().resolvedOptions()
  const query = new URLSearchParams({ by, zone, limit: '1000', ...defined({ from }) })
  const report = await withConnection(call.home, io, 'read', (connection) =>
    requestJson<UsageReport>(connection, `/api/usage?${query.toString()}`),
  )
  if (call.json) printJson(io, report)
  else if (report.total.calls === 0) note(io, 'No calls yet. Send a message with `foreword chat`.')
  else print(io, `${usageTable(report, io)}\n\n${totalText(report.total)}`)
  return 0
}

function usageTable(report: UsageReport, io: Io): string {
  const columns = lineLimit(io)
  if (report.by === 'layer') {
    const rows = report.rows.map(({ key, calls, tokens }: LayerUsageRow) => [key, count(calls), count(tokens)])
    return fittedTable([['layer', 'calls', 'tokens'], ...rows], { right: [1, 2], columns, spare: [0] })
  }
  if (report.by === 'tool') {
    const rows = report.rows.map((row: ToolUsageRow) => [
      exactLine(row.key),
      ...[row.calls, row.definitions, row.results, row.resultTokens].map(count),
    ])
    const head = ['tool', 'offered', 'definitions', 'results', 'result tokens']
    return fittedTable([head, ...rows], { right: [1, 2, 3, 4], columns, spare: [0] })
  }
  const rows = report.rows.map((row: CallUsageRow) => sumRow(rowName(row), row))
  const rest = report.rest ? [sumRow(`${count(report.rest.rows)} more`, report.rest)] : []
  const head = [report.by, 'calls', 'prompt', 'fresh', 'cached', 'written', 'output', 'cost']
  return fittedTable([head, ...rows, ...rest], { right: [1, 2, 3, 4, 5, 6, 7], columns, spare: [0, 5, 3] })
}

function rowName({ key, title }: CallUsageRow): string {
  if (key === null) return '(outside sessions)'
  return title === undefined ? exactLine(key) : `${exactLine(key)}  ${singleLine(exactLine(title), 40)}`
}

function sumRow(
  name: string,
  { calls, prompt, fresh, cached, written, output, ...cost }: UsageSums,
): readonly string[] {
  return [name, ...[calls, prompt, fresh, cached, written, output].map(count), moneyCell(cost)]
}

/** `+` where some calls are not in it, `-` where none is. */
function moneyCell({ money, unreported, unpriced }: Pick<UsageSums, 'money' | 'unreported' | 'unpriced'>): string {
  if (money === undefined) return '-'
  return `${moneyText(money)}${unreported + unpriced > 0 ? '+' : ''}`
}

function totalText({
  calls,
  prompt,
  cached,
  written,
  output,
  money,
  unreported,
  unpriced,
  waiting = 0,
}: UsageSums): string {
  return [
    `${plural(calls, 'call')}: ${count(prompt)} prompt tokens (${count(cached)} read from a cache, ${count(written)} written), ${count(output)} output tokens.`,
    ...(money === undefined ? [] : [`${moneyText(money)} by the prices that are known now.`]),
    ...(unpriced === 0 ? [] : [`${plural(unpriced, 'call')} of models without a known price: not in the money.`]),
    ...(unreported === 0 ? [] : [`${plural(unreported, 'call')} without a complete report: not in the money.`]),
    ...(waiting === 0
      ? []
      : [`${plural(waiting, 'call')} ${waiting === 1 ? 'waits' : 'wait'} for a budget: not sent.`]),
  ].join('\n')
}

function plural(number: number, word: string): string {
  return `${count(number)} ${number === 1 ? word : `${word}s`}`
}

function count(tokens: number): string {
  return tokens.toLocaleString('en')
}
