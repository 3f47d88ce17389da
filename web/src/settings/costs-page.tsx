import { type ReactNode, useState } from 'react'
import { Link, useSearchParams } from 'wouter'
import { type CostReport, type ListedSession, useResource } from '../api/resources.ts'
import { Button } from '../parts/button.tsx'
import { ErrorNote } from '../parts/error-note.tsx'
import { TextField } from '../parts/fields.tsx'
import { cacheWords, callsText, count, dollars } from '../parts/numbers.ts'
import { Spinner } from '../parts/spinner.tsx'
import { CostsBudgets } from './costs-budgets.tsx'
import { costBy, costRange, type CostRangeId, costRanges } from './costs-range.ts'
import { CostsTable } from './costs-table.tsx'
import { UsageChoice } from './usage-choice.tsx'

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
