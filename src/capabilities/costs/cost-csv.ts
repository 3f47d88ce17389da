import { costGroups, type CostReport, type CostRow, type CostSums } from '../../capability.ts'

/** A report as a spreadsheet reads it, RFC 4180. The last line is the total. */
export function costCsv({ by, rows, rest, total }: CostReport): string {
  const line = (
    key: string,
    title: string,
    { calls, waiting = 0, unpriced, nanoDollars, money, savedNanoDollars }: CostSums,
  ) =>
    [
      key,
      title,
      calls,
      unpriced,
      money === undefined ? '' : csvDollars(nanoDollars),
      money === undefined || savedNanoDollars === undefined ? '' : csvDollars(savedNanoDollars),
      waiting,
    ]
      .map((cell) => csvCell(String(cell)))
      .join(',')
  return [
    `${by},title,calls,unpriced,usd,saved_usd,waiting`,
    ...rows.map((row) => line(costName(by, row), row.title ?? '', row)),
    ...(rest ? [line(`(${rest.rows} more)`, '', rest)] : []),
    line('(total)', '', total),
  ].join('\n')
}

/** The key of a row, or what it is that has none. */
export function costName(by: string, { key }: Pick<CostRow, 'key'>): string {
  return key ?? nameOfNone[by] ?? (costGroups.some((group) => group === by) ? '(unknown)' : `(no ${by})`)
}

const nameOfNone: Readonly<Record<string, string>> = {
  layer: '(no account)',
  tool: '(no tool)',
  agent: '(no agent)',
  token: '(no named token)',
  session: '(outside sessions)',
  turn: '(outside sessions)',
}

/** Nine decimals, exactly. */
function csvDollars(nano: number): string {
  const digits = String(Math.abs(nano)).padStart(10, '0')
  return `${nano < 0 ? '-' : ''}${digits.slice(0, -9)}.${digits.slice(-9)}`
}

/** A name that a spreadsheet would take for a formula begins with an apostrophe. */
function csvCell(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) && !/^-?\d/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
