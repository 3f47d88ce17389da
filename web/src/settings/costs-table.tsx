import type { ReactNode } from 'react'
import { Link } from 'wouter'
import type { CostReport } from '../api/resources.ts'
import { callsText, count, dollars, percent } from '../parts/numbers.ts'
import { UsageBar } from './usage-bar.tsx'
import { dayText } from './usage-range.ts'

type Row = CostReport['rows'][number]

/** What the money was spent on: the dearest first, days from the newest. */
export function CostsTable({ by, rows, rest, total }: CostReport): ReactNode {
  const most = Math.max(...rows.map(({ nanoDollars }) => nanoDollars), 1)
  const row = (key: string, name: ReactNode, sums: Omit<Row, 'key'>): ReactNode => (
    <tr key={key} className="border-b border-line align-top">
      <th scope="row" className="w-full max-w-0 py-2 text-start font-normal whitespace-normal">
        <bdi className="block break-words">{name}</bdi>
        <UsageBar most={most} parts={[{ id: 'money', color: 'var(--slot-input)', tokens: sums.nanoDollars }]} />
      </th>
      <td className="py-2 ps-3 text-end">{count(sums.calls)}</td>
      <td className="hidden py-2 ps-3 text-end sm:table-cell">
        {total.nanoDollars > 0 && sums.money !== undefined && percent(sums.nanoDollars / total.nanoDollars)}
      </td>
      <td className="py-2 ps-3 text-end">
        {sums.money === undefined ? sums.calls > 0 && 'not known' : dollars(sums.money)}
        {sums.waiting !== undefined && (
          <span className="block text-xs text-soft">{`${callsText(sums.waiting)} waiting`}</span>
        )}
        {sums.money !== undefined && sums.unpriced > 0 && (
          <span className="block text-xs text-soft">{`without ${callsText(sums.unpriced)}`}</span>
        )}
      </td>
    </tr>
  )
  return (
    <table className="w-full text-sm whitespace-nowrap tabular-nums">
      <caption className="sr-only">{`Costs by ${by}`}</caption>
      <thead className="text-xs text-soft">
        <tr className="border-b border-line text-end">
          <th scope="col" className="py-1.5 text-start font-medium capitalize">
            {by}
          </th>
          <th scope="col" className="ps-3 font-medium">
            Calls
          </th>
          <th scope="col" className="hidden ps-3 font-medium sm:table-cell">
            Share
          </th>
          <th scope="col" className="ps-3 font-medium">
            Cost
          </th>
        </tr>
      </thead>
      <tbody>
        {rows.map((one) => row(one.key ?? '', <RowName by={by} row={one} />, one))}
        {rest && row('rest', `${count(rest.rows)} more`, rest)}
      </tbody>
    </table>
  )
}

/** Names of rows without a key. */
const nameOfNone: Readonly<Record<string, string>> = {
  layer: 'Not divided',
  skill: 'Everything but skills',
  tool: 'Everything but tools',
  agent: 'No agent',
  session: 'Outside sessions',
  token: 'No named token',
}

const names: Readonly<Record<string, string>> = {
  history: 'history (earlier turns)',
  input: 'input (the turn that is answered)',
  tools: 'tools (definitions)',
  answer: 'answer (what the model wrote)',
}

function RowName({ by, row: { key, title } }: { readonly by: string; readonly row: Row }): ReactNode {
  if (key === null) return nameOfNone[by] ?? 'Not known'
  if (by === 'day') return dayText(key)
  if (by === 'layer') return names[key] ?? key
  if (by !== 'session') return key
  return (
    <Link href={`/sessions/${encodeURIComponent(key)}`} className="text-accent underline">
      {title ?? key}
    </Link>
  )
}
