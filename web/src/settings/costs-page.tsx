import { type ReactNode, useState } from 'react'
import { Link, useSearchParams } from 'wouter'
import { type CostReport, type ListedSession, useResource } from '../api/resources.ts'
import { Button } from '../parts/button.tsx'
import { ErrorNote } from '../parts/error-note.tsx'
import { TextField } from '../parts/fields.tsx'
import { cacheWords, callsText, count, dollars, percent } from '../parts/numbers.ts'
import { Spinner } from '../parts/spinner.tsx'
import { CostsBudgets } from './costs-budgets.tsx'
import { UsageBar, UsageChoice } from './usage-bar.tsx'
import { dayText, titled } from './usage-range.ts'

const FEW = '50'
/** As many as the gateway lists. */
const MOST = '1000'

export default function CostsPage(): ReactNode {
  const [search] = useSearchParams()
  const session = search.get('session') ?? undefined
  const [range, setRange] = useState<CostRangeId>(session === undefined ? '30' : 'days')
  const [days, setDays] = useState({ since: '', until: '' })
  const [by, setBy] = useState(session === undefined ? 'day' : 'layer')
  const [limit, setLimit] = useState(FEW)
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone
  const asked = { by, zone, ...(session && { session }), ...costRange(range, days, new Date()) }
  const address = (more: Readonly<Record<string, string>>): string =>
    `/api/costs?${new URLSearchParams({ ...asked, ...more }).toString()}`
  const { data, error, isValidating } = useResource<CostReport>(address({ limit }), { keepPreviousData: true })
  return (
    <div className="flex flex-col gap-5">
      <p className="text-sm text-soft">
        What the calls cost, by what the providers reported and the prices that are known now. By layer, skill and tool
        the price of each call is divided by the tokens of its prompt. Days are those of {zone}.
      </p>
      {session ? <OneSession session={session} /> : <CostsBudgets />}
      <div className="flex flex-wrap gap-x-6 gap-y-3">
        <UsageChoice<CostRangeId> label="Time" name="range" options={costRanges} value={range} onChange={setRange} />
        {range === 'days' && (
          <div className="flex flex-wrap gap-3">
            {(['since', 'until'] as const).map((end) => (
              <TextField
                key={end}
                type="date"
                label={end === 'since' ? 'Since' : 'Until'}
                value={days[end]}
                onChange={({ target }) => setDays({ ...days, [end]: target.value })}
              />
            ))}
          </div>
        )}
        <UsageChoice label="By" name="by" options={costBy} value={by} onChange={setBy} />
      </div>
      {error && <ErrorNote error={error} />}
      {data === undefined && !error && <Spinner />}
      {data !== undefined && !error && (
        <div className="flex flex-col gap-5" aria-busy={isValidating}>
          {data.total.calls === 0 && data.total.waiting === undefined ? (
            <p className="text-sm">No calls in this time.</p>
          ) : (
            <Report report={data} />
          )}
          <div className="flex flex-wrap gap-3">
            {data.rest && limit !== MOST && (
              <Button look="plain" onClick={() => setLimit(MOST)}>
                {`Show ${count(data.rest.rows)} more`}
              </Button>
            )}
            {data.total.calls > 0 && (
              <a
                className="py-1.5 text-sm text-accent underline"
                href={address({ limit: MOST, format: 'csv' })}
                download
              >
                Download as CSV
              </a>
            )}
          </div>
        </div>
      )}
    </div>
  )
}

function OneSession({ session }: { readonly session: string }): ReactNode {
  const { data } = useResource<ListedSession>(`/api/sessions/${encodeURIComponent(session)}`)
  return (
    <p className="text-sm">
      {'Only calls of '}
      <Link href={`/sessions/${encodeURIComponent(session)}`} className="text-accent underline">
        <bdi>{data?.title ?? data?.opening ?? session}</bdi>
      </Link>
      {' · '}
      <Link href="/settings/costs" className="text-accent underline">
        All sessions
      </Link>
    </p>
  )
}

function Report({ report }: { readonly report: CostReport }): ReactNode {
  const { calls, waiting, unpriced, money, savedNanoDollars } = report.total
  const figures = [
    { name: 'Cost', value: money === undefined ? (calls === 0 ? 'nothing yet' : 'not known') : dollars(money) },
    { name: 'Calls', value: count(calls) },
    ...(money === undefined ? [] : [{ name: 'The cache', value: cacheWords(savedNanoDollars / 1e9) }]),
  ]
  return (
    <>
      <section aria-label="Together" className="flex flex-col gap-3">
        <dl className="grid grid-cols-2 gap-3 sm:grid-cols-3">
          {figures.map(({ name, value }) => (
            <div
              key={name}
              className="rounded-lg border border-line bg-raised px-3 py-2 odd:last:col-span-2 sm:odd:last:col-span-1"
            >
              <dt className="text-xs text-soft">{name}</dt>
              <dd className="text-lg font-semibold tabular-nums">{value}</dd>
            </div>
          ))}
        </dl>
        {waiting !== undefined && (
          <p className="text-sm text-soft">
            {`${callsText(waiting)} ${waiting === 1 ? 'waits' : 'wait'} for a budget: not sent, and without a cost yet.`}
          </p>
        )}
        {unpriced > 0 && (
          <p className="text-sm text-soft">
            {`${unpriced === calls ? 'No call has' : `Not in it: ${callsText(unpriced)} without`} a known price or a complete report of its usage.`}
          </p>
        )}
      </section>
      <CostsTable {...report} />
    </>
  )
}

type Row = CostReport['rows'][number]

/** What the money was spent on: the dearest first, days from the newest. */
function CostsTable({ by, rows, rest, total }: CostReport): ReactNode {
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

/** Which calls are counted, up to now unless it ends earlier. */
const costRanges = [
  { id: 'today', title: 'Today' },
  { id: '7', title: '7 days' },
  { id: '30', title: '30 days' },
  { id: 'month', title: 'This month' },
  { id: 'last', title: 'Last month' },
  { id: 'days', title: 'Other days' },
] as const

type CostRangeId = (typeof costRanges)[number]['id']

/** Days as a date field gives them, such as `2026-11-23`; empty: not limited. */
interface ChosenDays {
  readonly since: string
  /** The last day that is counted. */
  readonly until: string
}

interface CostRange {
  /** ISO 8601. */
  readonly from?: string
  readonly to?: string
}

/** The first moment of a range and the one after its last, in the time zone of this browser. */
function costRange(id: CostRangeId, { since, until }: ChosenDays, now: Date): CostRange {
  const [year, month, day] = [now.getFullYear(), now.getMonth(), now.getDate()]
  const at = (...date: readonly [number, number, number]): string => new Date(...date).toISOString()
  if (id === 'month') return { from: at(year, month, 1) }
  if (id === 'last') return { from: at(year, month - 1, 1), to: at(year, month, 1) }
  if (id !== 'days') return { from: at(year, month, day - (id === 'today' ? 0 : Number(id) - 1)) }
  return { ...(since === '' ? {} : { from: startOf(since, 0) }), ...(until === '' ? {} : { to: startOf(until, 1) }) }
}

function startOf(date: string, later: number): string {
  const [year, month, day] = date.split('-').map(Number)
  return new Date(year!, month! - 1, day! + later).toISOString()
}

/** What the money is divided by. A capability that is left out takes its group along. */
const costBy = titled('day', 'model', 'layer', 'skill', 'tool', 'agent', 'channel', 'token', 'session')
