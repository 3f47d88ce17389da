import { type ReactNode, useState } from 'react'
import { type UsageReport, useResource } from '../api/resources.ts'
import { Button } from '../parts/button.tsx'
import { ErrorNote } from '../parts/error-note.tsx'
import { callsText, count, dollars } from '../parts/numbers.ts'
import { Spinner } from '../parts/spinner.tsx'
import { FigureTable, RowName, UsageChoice, UsageSigns } from './usage-bar.tsx'
import { type GroupId, groups, type RangeId, ranges, rangeStart, titleOf } from './usage-range.ts'
import { LayerTable, ToolTable } from './usage-token-tables.tsx'

const FEW = 100
/** As many as the gateway lists. */
const MOST = 1_000

export default function UsagePage(): ReactNode {
  const [range, setRange] = useState<RangeId>('30')
  const [by, setBy] = useState<GroupId>('day')
  const [limit, setLimit] = useState(FEW)
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone
  const from = rangeStart(range, new Date())
  const query = new URLSearchParams({ by, zone, limit: String(limit), ...(from === undefined ? {} : { from }) })
  const { data, error, isValidating } = useResource<UsageReport>(`/api/usage?${query.toString()}`, {
    keepPreviousData: true,
  })
  return (
    <div className="flex flex-col gap-5">
      <p className="text-sm text-soft">
        What the calls of all sessions used, as the providers reported it, and what that cost. Days are those of this
        browser’s time zone, {zone}. Calls of deleted sessions are not counted.
      </p>
      <div className="flex flex-wrap gap-x-6 gap-y-3">
        <UsageChoice<RangeId> label="Time" name="range" options={ranges} value={range} onChange={setRange} />
        <UsageChoice<GroupId> label="By" name="by" options={groups} value={by} onChange={setBy} />
      </div>
      {error && <ErrorNote error={error} />}
      {data === undefined && !error && <Spinner />}
      {data !== undefined && (
        <div className="flex flex-col gap-5" aria-busy={isValidating}>
          <UsageTotals total={data.total} />
          {data.total.calls === 0 ? (
            <p className="text-sm">
              {range === 'all' ? 'No calls yet. They are counted from the first message on.' : 'No calls in this time.'}
            </p>
          ) : (
            <UsageRows report={data} />
          )}
          {'rest' in data && data.rest !== undefined && limit < MOST && (
            <Button look="plain" className="self-start" onClick={() => setLimit(MOST)}>
              {`Show ${count(data.rest.rows)} more`}
            </Button>
          )}
        </div>
      )}
    </div>
  )
}

function UsageRows({ report }: { readonly report: UsageReport }): ReactNode {
  if (report.by === 'layer') return <LayerTable rows={report.rows} counted={report.counted} />
  if (report.by === 'tool') return <ToolTable rows={report.rows} />
  return <CallTable by={report.by} rows={report.rows} rest={report.rest} />
}

type CallReport = Extract<UsageReport, { readonly rest?: unknown }>
type CallRow = CallReport['rows'][number]

interface CallTableProps {
  readonly by: CallReport['by']
  readonly rows: readonly CallRow[]
  readonly rest: CallReport['rest']
}

const parts = [
  { id: 'fresh', title: 'New', kind: 'fresh', color: 'var(--slot-input)' },
  { id: 'cached', title: 'Cached', kind: 'cached', color: 'var(--slot-history)' },
  { id: 'written', title: 'Written', kind: 'written', color: 'var(--slot-before-input)' },
  { id: 'undivided', title: 'Cache not reported', kind: undefined, color: 'var(--slot-reserve)' },
  { id: 'output', title: 'Answers', kind: undefined, color: 'var(--slot-tools)' },
] as const

/** Most providers report their cache: the column for the others is there where there are any. */
function partsOf(rows: readonly TableRow[]) {
  return parts.filter(({ id }) => id !== 'undivided' || rows.some(({ undivided }) => undivided > 0))
}

/** Calls by day, model or session: what of their prompts was read how, their answers and their money. */
function CallTable({ by, rows, rest }: CallTableProps): ReactNode {
  const all: readonly TableRow[] = rest ? [...rows, rest] : rows
  const shown = partsOf(all)
  return (
    <div className="flex flex-col gap-3">
      <UsageSigns label="Tokens" signs={shown.map(({ title, color }) => ({ text: title, color }))} />
      <FigureTable
        caption={`Usage by ${by}`}
        first={titleOf(by)}
        rows={all}
        keyOf={(row) => ('rows' in row ? 'rest' : (row.key ?? ''))}
        name={(row) => ('rows' in row ? `${count(row.rows)} more` : <RowName by={by} row={row} />)}
        most={Math.max(...rows.map(({ prompt, output }) => prompt + output), 1)}
        bar={(row) => shown.map(({ id, color }) => ({ id, color, tokens: row[id] }))}
        below={(row) => (
          <span className="mt-1 block text-xs text-soft sm:hidden">
            {shown
              .filter(({ kind }) => !kind || !isSilent(row))
              .map(({ id, title }) => `${title} ${count(row[id])}`)
              .join(', ')}
          </span>
        )}
        columns={[
          { title: 'Calls', figure: ({ calls }) => count(calls) },
          ...shown.map(({ id, title, kind }) => ({
            title,
            wide: true,
            // A provider that says nothing of its cache has not said 0.
            figure: (row: TableRow) => (kind && isSilent(row) ? '–' : count(row[id])),
            ...(kind && { value: (row: TableRow) => [kind, isSilent(row) ? undefined : row[id]] as const }),
          })),
          {
            title: 'Money',
            figure: (row) => <span title={moneyWords(row)}>{moneyText(row)}</span>,
            value: ({ money }) => ['money', money],
          },
        ]}
      />
    </div>
  )
}

function isSilent({ undivided, prompt }: Pick<Total, 'undivided' | 'prompt'>): boolean {
  return undivided > 0 && undivided === prompt
}

type TableRow = CallRow | NonNullable<CallReport['rest']>

type Total = UsageReport['total']

function UsageTotals({ total }: { readonly total: Total }): ReactNode {
  const figures = [
    { name: 'Calls', value: count(total.calls) },
    { name: 'Prompts', value: count(total.prompt), below: 'tokens' },
    { name: 'Answers', value: count(total.output), below: 'tokens' },
    { name: 'Money', value: moneyText(total), ...(total.money === undefined ? { below: 'not known' } : {}) },
  ]
  return (
    <section aria-label="Together" className="flex flex-col gap-3">
      <dl className="grid grid-cols-2 gap-3 sm:grid-cols-4">
        {figures.map(({ name, value, below }) => (
          <div key={name} className="rounded-lg border border-line bg-raised px-3 py-2">
            <dt className="text-xs text-soft">{name}</dt>
            <dd className="text-lg font-semibold tabular-nums">
              {value}
              {below !== undefined && <span className="ms-1 text-xs font-normal text-soft">{below}</span>}
            </dd>
          </div>
        ))}
      </dl>
      <p className="text-sm text-soft">{`${promptWords(total)} ${moneyWords(total)}`}</p>
    </section>
  )
}

/** How prompts were read, as far as it was reported. */
function promptWords(total: Total): string {
  const { fresh, cached, written, undivided } = total
  const silent = `of ${count(undivided)} tokens the providers did not report what came from a cache`
  if (isSilent(total)) return `${silent.charAt(0).toUpperCase()}${silent.slice(1)}.`
  const read = `Of the prompts, ${count(fresh)} tokens were new, ${count(cached)} from a cache, and ${count(written)} written to one`
  return undivided === 0 ? `${read}.` : `${read}; ${silent}.`
}

/** `+` behind a sum that some calls are not in. */
function moneyText({ money, unreported, unpriced }: Total): string {
  if (money === undefined) return '–'
  return `${dollars(money)}${unreported + unpriced > 0 ? '+' : ''}`
}

/** What the sum of money is, and which calls are not in it. */
function moneyWords({ calls, money, unreported, unpriced, waiting }: Total): string {
  if (calls === 0) return ''
  const held = waiting === undefined ? '' : ` ${callsText(waiting)} ${waiting === 1 ? 'waits' : 'wait'} for a budget.`
  const left = [
    ...(unpriced === 0 ? [] : [`${callsText(unpriced)} of models whose price is not known`]),
    ...(unreported === 0 ? [] : [`${callsText(unreported)} without a complete report`]),
  ]
  const known = money === undefined ? 'No money can be given' : `The money is by the prices that are known now`
  if (left.length === 0) return `${known}.${held}`
  return `${known}${money === undefined ? ':' : '; not in it:'} ${left.join(' and ')}.${held}`
}
