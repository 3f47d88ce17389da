import { type ReactNode, useState } from 'react'
import { Link, useSearchParams } from 'wouter'
import { type CostReport, type ListedSession, useResource } from '../api/resources.ts'
import { Button } from '../parts/button.tsx'
import { ErrorNote } from '../parts/error-note.tsx'
import { TextField } from '../parts/fields.tsx'
import { cacheWords, callsText, count, dollars, percent } from '../parts/numbers.ts'
import { Spinner } from '../parts/spinner.tsx'
import { CostsBudgets } from './costs-budgets.tsx'
import { FigureTable, RowName, UsageChoice } from './usage-bar.tsx'
import { dayStart, titled, titleOf } from './usage-range.ts'

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
    {
      name: 'Cost',
      value: money === undefined ? (calls === 0 ? 'nothing yet' : 'not known') : dollars(money),
      figure: { 'data-figure': 'money', 'data-value': money ?? '' },
    },
    { name: 'Calls', value: count(calls), figure: {} },
    ...(money === undefined ? [] : [{ name: 'The cache', value: cacheWords(savedNanoDollars / 1e9), figure: {} }]),
  ]
  return (
    <>
      <section aria-label="Together" className="flex flex-col gap-3">
        <dl className="grid grid-cols-2 gap-3 sm:grid-cols-3">
          {figures.map(({ name, value, figure }) => (
            <div
              key={name}
              className="rounded-lg border border-line bg-raised px-3 py-2 odd:last:col-span-2 sm:odd:last:col-span-1"
            >
              <dt className="text-xs text-soft">{name}</dt>
              <dd {...figure} className="text-lg font-semibold tabular-nums">
                {value}
              </dd>
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
  const all: readonly TableRow[] = rest ? [...rows, rest] : rows
  return (
    <FigureTable
      caption={`Costs by ${by}`}
      first={titleOf(by)}
      rows={all}
      keyOf={(row) => ('rows' in row ? 'rest' : (row.key ?? ''))}
      name={(row) => ('rows' in row ? `${count(row.rows)} more` : <RowName by={by} row={row} />)}
      most={Math.max(...rows.map(({ nanoDollars }) => nanoDollars), 1)}
      bar={({ nanoDollars }) => [{ id: 'money', color: 'var(--slot-input)', tokens: nanoDollars }]}
      columns={[
        { title: 'Calls', figure: ({ calls }) => count(calls) },
        {
          title: 'Share',
          wide: true,
          figure: ({ money, nanoDollars }) =>
            total.nanoDollars > 0 && money !== undefined && percent(nanoDollars / total.nanoDollars),
        },
        { title: 'Cost', figure: (row) => <Cost row={row} />, value: ({ money }) => ['money', money] },
      ]}
    />
  )
}

type TableRow = Row | NonNullable<CostReport['rest']>

function Cost({ row: { calls, money, unpriced, waiting } }: { readonly row: TableRow }): ReactNode {
  const notes = [
    ...(waiting === undefined ? [] : [`${callsText(waiting)} waiting`]),
    ...(money !== undefined && unpriced > 0 ? [`without ${callsText(unpriced)}`] : []),
  ]
  return (
    <>
      {money === undefined ? calls > 0 && 'not known' : dollars(money)}
      {notes.map((note) => (
        <span key={note} className="block text-xs text-soft">
          {note}
        </span>
      ))}
    </>
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
  return { ...(since === '' ? {} : { from: dayStart(since, 0) }), ...(until === '' ? {} : { to: dayStart(until, 1) }) }
}

/** What the money is divided by. A capability that is left out takes its group along. */
const costBy = titled('day', 'model', 'layer', 'skill', 'tool', 'agent', 'channel', 'token', 'session')
