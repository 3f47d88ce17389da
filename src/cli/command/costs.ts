import {
  type Command,
  type CommandCall,
  costCsv,
  costGroups,
  costName,
  type CostReport,
  type CostRow,
  type CostSums,
  exactMoneyText,
  type Io,
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

export const costsCommand: Command = {
  name: 'costs',
  summary: 'divide what the calls cost by model, layer, tool, agent, channel, token, session or day',
  usage: ['costs [--by WORD] [--since WHEN] [--session ID] [--json | --csv]'],
  details:
    'By layer and tool the price of each call is divided by the tokens of its prompt, what was read from a cache at the ' +
    'price of that. Rows add up to the total exactly. Prices are those that are known now; calls without a price or a report ' +
    'are counted and not guessed.',
  words: { least: 0, most: 0 },
  options: {
    by: { value: 'WORD', summary: `${costGroups.join(', ')}, or what a capability adds (default: day)` },
    since: { value: 'WHEN', summary: 'only calls since a time, such as 2026-01-31, or a span, such as 12h, 7d, 4w' },
    session: { value: 'ID', summary: 'only calls of this session' },
    json: { ...jsonOption, summary: 'print {by, from, zone, total, rows}' },
    csv: { summary: 'print the rows as comma-separated values' },
  },
  run: printCosts,
}

async function printCosts(call: CommandCall, io: Io): Promise<number> {
  const by = call.text('by') ?? 'day'
  const known: readonly string[] = [...costGroups, ...addedGroups(io)]
  if (!known.includes(by)) throw usageFailure(`--by must be one of ${known.join(', ')}.`)
  if (call.json && call.has('csv')) throw usageFailure('Use one of --json and --csv.')
  const since = call.text('since')
  const from = since === undefined ? undefined : parseSince(since, Date.now())
  const { timeZone: zone } = Intl.DateTimeFormat().resolvedOptions()
  const query = new URLSearchParams({ by, zone, limit: '1000', ...defined({ from, session: call.text('session') }) })
  const report = await withConnection(call.home, io, 'read', (connection) =>
    requestJson<CostReport>(connection, `/api/costs?${query.toString()}`),
  )
  if (call.json) printJson(io, report)
  else if (call.has('csv')) print(io, costCsv(report))
  else if (report.total.calls === 0 && report.total.waiting === undefined)
    note(io, 'No calls yet. Send a message with `foreword chat`.')
  else print(io, `${costTable(report, io)}\n\n${totalText(report.total)}`)
  return 0
}

function addedGroups({ capabilities = [] }: Io): readonly string[] {
  return capabilities.flatMap((each) => Object.keys(each.costGroups ?? {}))
}

function costTable({ by, rows, rest, total }: CostReport, io: Io): string {
  const cells = (name: string, row: CostSums) => [
    name,
    row.calls.toLocaleString('en'),
    row.money === undefined ? '-' : `${exactMoneyText(row.money)}${row.unpriced > 0 ? '+' : ''}`,
    total.nanoDollars <= 0 ? '' : `${((100 * row.nanoDollars) / total.nanoDollars).toFixed(1)} %`,
    row.unpriced === 0 ? '' : row.unpriced.toLocaleString('en'),
    ...(total.waiting === undefined ? [] : [row.waiting === undefined ? '' : row.waiting.toLocaleString('en')]),
  ]
  const lines = rows.map((row) => cells(rowName(by, row), row))
  const others = rest ? [cells(`${rest.rows.toLocaleString('en')} more`, rest)] : []
  const head = [by, 'calls', 'cost', 'share', 'no price', ...(total.waiting === undefined ? [] : ['waiting'])]
  return fittedTable([head, ...lines, ...others], { right: [1, 2, 3, 4, 5], columns: lineLimit(io), spare: [0] })
}

function rowName(by: string, row: CostRow): string {
  const { key, title } = row
  if (key === null) return costName(by, row)
  return title === undefined ? exactLine(key) : `${exactLine(key)}  ${singleLine(exactLine(title), 40)}`
}

function totalText({ calls, waiting = 0, unpriced, money, savedNanoDollars }: CostReport['total']): string {
  const priced = calls - unpriced
  return [
    calls === 0
      ? 'No call was sent.'
      : money === undefined
        ? `${plural(calls)}, none of them with a known price.`
        : `${exactMoneyText(money)} for ${plural(priced)}, by the prices that are known now.`,
    ...(money === undefined || savedNanoDollars === 0
      ? []
      : savedNanoDollars > 0
        ? [`Caches saved ${exactMoneyText(savedNanoDollars / 1e9)}.`]
        : [`Caches cost ${exactMoneyText(-savedNanoDollars / 1e9)} more than they saved.`]),
    ...(unpriced === 0 || money === undefined
      ? []
      : [`${plural(unpriced)} without a known price or a complete report: not in the money.`]),
    ...(waiting === 0
      ? []
      : [
          `${plural(waiting)} ${waiting === 1 ? 'waits' : 'wait'} for a budget and ${waiting === 1 ? 'was' : 'were'} not sent: \`foreword approve\` shows ${waiting === 1 ? 'it' : 'them'}.`,
        ]),
  ].join('\n')
}

function plural(calls: number): string {
  return `${calls.toLocaleString('en')} ${calls === 1 ? 'call' : 'calls'}`
}
