import {
  type Command,
  type CommandCall,
  type CommandOption,
  costGroups,
  type CostReport,
  type CostRow,
  type CostSums,
  type Io,
  type CallUsageRow,
  type LayerUsageRow,
  exactMoneyText,
  type ToolUsageRow,
  type UsageReport,
  type UsageSums,
} from '../../../capability.ts'
import {
  fittedTable,
  jsonOption,
  lineLimit,
  loadedCapabilities,
  note,
  parseSince,
  print,
  printJson,
  requestJson,
  singleLine,
  usageFailure,
  withConnection,
} from '../../../cli.ts'
import { countedText, calibratedTokens, exactLine, numberText } from '../../../context.ts'
import { defined } from '../../../platform.ts'
import { costCsv, costName } from '../cost-csv.ts'

const sinceOption: CommandOption = {
  value: 'WHEN',
  summary: 'only calls since a time, such as 2026-01-31, or a span, such as 12h, 7d, 4w',
}

export const costsCommand: Command = {
  name: 'costs',
  group: 'money',
  summary: 'divide what the calls cost by model, layer, tool, agent, channel, token, session or day',
  usage: [
    'costs [--by WORD] [--since WHEN] [--session ID] [--json | --csv]',
    'costs --tokens [--by WORD] [--since WHEN] [--json]',
  ],
  details:
    'By layer and tool the price of each call is divided by the tokens of its prompt, what was read from a cache at the ' +
    'price of that. Rows add up to the total exactly. Prices are those that are known now; calls without a price or a report ' +
    'are counted and not guessed. With `--tokens` the calls are added up by what they used, as the providers reported it.',
  words: { least: 0, most: 0 },
  options: {
    tokens: { summary: 'add up tokens: prompt, fresh, cached, written, output' },
    by: { value: 'WORD', summary: `${costGroups.join(', ')}, or what a capability adds (default: day)` },
    since: sinceOption,
    session: { value: 'ID', summary: 'only calls of this session' },
    json: { ...jsonOption, summary: 'print {by, from, zone, total, rows}' },
    csv: { summary: 'print the rows as comma-separated values' },
  },
  run: printCosts,
}

async function printCosts(call: CommandCall, io: Io): Promise<number> {
  if (call.has('tokens')) {
    const other = ['csv', 'session'].find((name) => call.has(name))
    if (other !== undefined) throw usageFailure(`--tokens has no --${other}.`)
    return await printUsage(call, io)
  }
  const by = call.text('by') ?? 'day'
  if (!(costGroups as readonly string[]).includes(by)) {
    const added = (await loadedCapabilities(io)).flatMap((each) => Object.keys(each.reports?.costGroups ?? {}))
    const known = [...costGroups, ...added]
    if (!added.includes(by)) throw usageFailure(`--by must be one of ${known.join(', ')}.`)
  }
  if (call.json && call.has('csv')) throw usageFailure('Use one of --json and --csv.')
  const report = await fetchReport<CostReport>('/api/costs', by, call, io)
  if (call.json) printJson(io, report)
  else if (call.has('csv')) print(io, costCsv(report))
  else if (report.total.calls === 0 && report.total.waiting === undefined)
    note(io, 'No calls yet. Send a message with `foreword chat`.')
  else print(io, `${costTable(report, io)}\n\n${costTotal(report.total)}`)
  return 0
}

function costTable({ by, rows, rest, total }: CostReport, io: Io): string {
  const cells = (name: string, row: CostSums) => [
    name,
    numberText(row.calls),
    row.money === undefined ? '-' : `${exactMoneyText(row.money)}${row.unpriced > 0 ? '+' : ''}`,
    total.nanoDollars <= 0 ? '' : `${((100 * row.nanoDollars) / total.nanoDollars).toFixed(1)} %`,
    row.unpriced === 0 ? '' : numberText(row.unpriced),
    ...(total.waiting === undefined ? [] : [row.waiting === undefined ? '' : numberText(row.waiting)]),
  ]
  const lines = rows.map((row) => cells(rowName(row, costName(by, row)), row))
  const others = rest ? [cells(`${numberText(rest.rows)} more`, rest)] : []
  const head = [by, 'calls', 'cost', 'share', 'no price', ...(total.waiting === undefined ? [] : ['waiting'])]
  return fittedTable([head, ...lines, ...others], { right: [1, 2, 3, 4, 5], columns: lineLimit(io), spare: [0] })
}

function costTotal({ calls, waiting = 0, unpriced, money, savedNanoDollars }: CostReport['total']): string {
  const priced = calls - unpriced
  return [
    calls === 0
      ? 'No call was sent.'
      : money === undefined
        ? `${countedText(calls, 'call')}, none of them with a known price.`
        : `${exactMoneyText(money)} for ${countedText(priced, 'call')}, by the prices that are known now.`,
    ...(money === undefined || savedNanoDollars === 0
      ? []
      : savedNanoDollars > 0
        ? [`Caches saved ${exactMoneyText(savedNanoDollars / 1e9)}.`]
        : [`Caches cost ${exactMoneyText(-savedNanoDollars / 1e9)} more than they saved.`]),
    ...(money === undefined ? [] : notInTheMoney(unpriced)),
    ...(waiting === 0
      ? []
      : [
          `${countedText(waiting, 'call')} ${waiting === 1 ? 'waits' : 'wait'} for a budget and ${waiting === 1 ? 'was' : 'were'} not sent: \`foreword approve\` shows ${waiting === 1 ? 'it' : 'them'}.`,
        ]),
  ].join('\n')
}

async function fetchReport<Report>(path: string, by: string, call: CommandCall, io: Io): Promise<Report> {
  const since = call.text('since')
  const from = since === undefined ? undefined : parseSince(since, Date.now())
  const { timeZone: zone } = Intl.DateTimeFormat().resolvedOptions()
  const query = new URLSearchParams({ by, zone, limit: '1000', ...defined({ from, session: call.text('session') }) })
  return await withConnection(call.home, io, 'read', (connection) =>
    requestJson<Report>(connection, `${path}?${query.toString()}`),
  )
}

function rowName({ key, title }: CallUsageRow | CostRow, none: string): string {
  if (key === null) return none
  return title === undefined ? exactLine(key) : `${exactLine(key)}  ${singleLine(exactLine(title), 40)}`
}

const usageGroups = ['day', 'model', 'layer', 'tool', 'session'] as const satisfies readonly UsageReport['by'][]

export const usageCommand: Command = {
  name: 'usage',
  group: 'money',
  movedTo: 'costs --tokens',
  summary: 'add up what the calls used and cost, by day, model, layer, tool or session',
  usage: ['usage [--by WORD] [--since WHEN] [--json]'],
  details:
    'Tokens are as the providers reported them, and money is by the prices that are known now; calls without a report or a price ' +
    'are counted and not guessed. By layer and by tool: the prompts as the providers reported them, or were expected to, divided by what Foreword counted. Days are those of ' +
    'this machine.',
  words: { least: 0, most: 0 },
  options: {
    by: { value: 'WORD', summary: `${usageGroups.slice(0, -1).join(', ')} or ${usageGroups.at(-1)} (default: day)` },
    since: sinceOption,
    json: { ...jsonOption, summary: 'print {by, from, zone, total, rows}' },
  },
  run: printUsage,
}

async function printUsage(call: CommandCall, io: Io): Promise<number> {
  const word = call.text('by') ?? 'day'
  const by = usageGroups.find((group) => group === word)
  if (by === undefined) throw usageFailure(`--by must be one of ${usageGroups.join(', ')}.`)
  const report = await fetchReport<UsageReport>('/api/usage', by, call, io)
  if (call.json) printJson(io, report)
  else if (report.total.calls === 0) note(io, 'No calls yet. Send a message with `foreword chat`.')
  else print(io, `${usageTable(report, io)}\n\n${usageTotal(report.total)}`)
  return 0
}

function usageTable(report: UsageReport, io: Io): string {
  const columns = lineLimit(io)
  if (report.by === 'layer') {
    const rows = report.rows.map(({ key, calls, tokens }: LayerUsageRow) => [
      key,
      numberText(calls),
      numberText(providersTokens(tokens, report)),
    ])
    return fittedTable([['layer', 'calls', 'tokens'], ...rows], { right: [1, 2], columns, spare: [0] })
  }
  if (report.by === 'tool') {
    const rows = report.rows.map((row: ToolUsageRow) => [
      exactLine(row.key),
      ...[
        row.calls,
        providersTokens(row.definitions, report),
        row.results,
        providersTokens(row.resultTokens, report),
      ].map(numberText),
    ])
    const head = ['tool', 'offered', 'definitions', 'results', 'result tokens']
    return fittedTable([head, ...rows], { right: [1, 2, 3, 4], columns, spare: [0] })
  }
  const rows = report.rows.map((row: CallUsageRow) => sumRow(rowName(row, '(outside sessions)'), row))
  const rest = report.rest ? [sumRow(`${numberText(report.rest.rows)} more`, report.rest)] : []
  const head = [report.by, 'calls', 'prompt', 'new', 'cached', 'written', 'output', 'cost']
  return fittedTable([head, ...rows, ...rest], { right: [1, 2, 3, 4, 5, 6, 7], columns, spare: [0, 5, 3] })
}

/** A count of ours in the tokens of the providers. */
function providersTokens(tokens: number, report: Extract<UsageReport, { readonly counted: number }>): number {
  return calibratedTokens(tokens, report.expected, report.counted)
}

function sumRow(
  name: string,
  { calls, prompt, fresh, cached, written, undivided, output, ...cost }: UsageSums,
): readonly string[] {
  // A provider that says nothing of its cache has not said 0.
  const parts = undivided > 0 && undivided === prompt ? ['-', '-', '-'] : [fresh, cached, written].map(numberText)
  return [name, numberText(calls), numberText(prompt), ...parts, numberText(output), moneyCell(cost)]
}

/** `+` where some calls are not in it, `-` where none is. */
function moneyCell({ money, unpriced }: Pick<UsageSums, 'money' | 'unpriced'>): string {
  if (money === undefined) return '-'
  return `${exactMoneyText(money)}${unpriced > 0 ? '+' : ''}`
}

function usageTotal({
  calls,
  prompt,
  cached,
  written,
  undivided,
  output,
  money,
  unreported,
  unpriced,
  waiting = 0,
}: UsageSums): string {
  const silent = `${numberText(undivided)} whose cache was not reported`
  const read = `${numberText(cached)} read from a cache, ${numberText(written)} written`
  const cacheText = undivided === 0 ? read : undivided === prompt ? silent : `${read}, ${silent}`
  return [
    `${countedText(calls, 'call')}: ${numberText(prompt)} prompt tokens (${cacheText}), ${numberText(output)} output tokens.`,
    ...(money === undefined ? [] : [`${exactMoneyText(money)} by the prices that are known now.`]),
    ...notInTheMoney(unpriced),
    ...(unreported === 0 ? [] : [`${countedText(unreported, 'call')} without a complete report: not in the tokens.`]),
    ...(waiting === 0
      ? []
      : [`${countedText(waiting, 'call')} ${waiting === 1 ? 'waits' : 'wait'} for a budget: not sent.`]),
  ].join('\n')
}

function notInTheMoney(unpriced: number): readonly string[] {
  return unpriced === 0
    ? []
    : [`${countedText(unpriced, 'call')} without a known price or a complete report: not in the money.`]
}
