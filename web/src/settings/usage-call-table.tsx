import type { ReactNode } from 'react'
import { Link } from 'wouter'
import type { UsageReport } from '../api/resources.ts'
import { count } from '../parts/numbers.ts'
import { UsageBar, UsageSigns } from './usage-bar.tsx'
import { dayText } from './usage-range.ts'
import { moneyText, moneyWords, type Total } from './usage-totals.tsx'

type CallReport = Extract<UsageReport, { readonly rest?: unknown }>
type CallRow = CallReport['rows'][number]

interface CallTableProps {
  readonly by: CallReport['by']
  readonly rows: readonly CallRow[]
  readonly rest: CallReport['rest']
}

const titles = { day: 'Day', model: 'Model', session: 'Session' } as const

const parts = [
  { id: 'fresh', title: 'Fresh', color: 'var(--slot-input)' },
  { id: 'cached', title: 'Cached', color: 'var(--slot-history)' },
  { id: 'written', title: 'Written', color: 'var(--slot-before-input)' },
  { id: 'output', title: 'Answers', color: 'var(--slot-tools)' },
] as const

/** Calls by day, model or session: what of their prompts was read how, their answers and their money. */
export function CallTable({ by, rows, rest }: CallTableProps): ReactNode {
  const most = Math.max(...rows.map(({ prompt, output }) => prompt + output), 1)
  return (
    <div className="flex flex-col gap-3">
      <UsageSigns label="Tokens" signs={parts.map(({ title, color }) => ({ text: title, color }))} />
      <table className="w-full text-sm tabular-nums">
        <caption className="sr-only">{`Usage by ${by}`}</caption>
        <thead className="text-xs text-soft">
          <tr className="border-b border-line text-end align-bottom">
            <th scope="col" className="py-1.5 text-start font-medium">
              {titles[by]}
            </th>
            <NumberHead title="Calls" />
            {parts.map(({ id, title }) => (
              <NumberHead key={id} title={title} wide />
            ))}
            <NumberHead title="Money" />
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <UsageRow key={row.key ?? ''} row={row} most={most} name={<RowName by={by} row={row} />} />
          ))}
          {rest && <UsageRow row={rest} most={most} name={`${count(rest.rows)} more`} />}
        </tbody>
      </table>
    </div>
  )
}

function NumberHead({ title, wide = false }: { readonly title: string; readonly wide?: boolean }): ReactNode {
  return (
    <th
      scope="col"
      className={`ps-3 py-1.5 text-end font-medium whitespace-nowrap ${wide ? 'hidden sm:table-cell' : ''}`}
    >
      {title}
    </th>
  )
}

interface UsageRowProps {
  readonly row: Total
  /** Tokens of the row that has most of them. */
  readonly most: number
  readonly name: ReactNode
}

function UsageRow({ row, most, name }: UsageRowProps): ReactNode {
  return (
    <tr className="border-b border-line align-top">
      <th scope="row" className="w-full max-w-0 py-2 text-start font-normal">
        <span className="block break-words">{name}</span>
        <UsageBar most={most} parts={parts.map(({ id, color }) => ({ id, color, tokens: row[id] }))} />
        <span className="mt-1 block text-xs text-soft sm:hidden">
          {parts.map(({ id, title }) => `${title} ${count(row[id])}`).join(', ')}
        </span>
      </th>
      <td className="py-2 ps-3 text-end whitespace-nowrap">{count(row.calls)}</td>
      {parts.map(({ id }) => (
        <td key={id} className="hidden py-2 ps-3 text-end whitespace-nowrap sm:table-cell">
          {count(row[id])}
        </td>
      ))}
      <td className="py-2 ps-3 text-end whitespace-nowrap" title={moneyWords(row)}>
        {moneyText(row)}
      </td>
    </tr>
  )
}

function RowName({ by, row }: { readonly by: CallReport['by']; readonly row: CallRow }): ReactNode {
  const { key, title } = row
  if (key === null) return 'Outside sessions'
  if (by === 'day') return dayText(key)
  if (by === 'model') return key
  return (
    <Link href={`/sessions/${encodeURIComponent(key)}`} className="text-accent underline">
      {title ?? key}
    </Link>
  )
}
