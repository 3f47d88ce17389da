import { type ReactNode, useState } from 'react'
import { type UsageReport, useResource } from '../api/resources.ts'
import { Button } from '../parts/button.tsx'
import { ErrorNote } from '../parts/error-note.tsx'
import { count } from '../parts/numbers.ts'
import { Spinner } from '../parts/spinner.tsx'
import { UsageChoice } from './usage-choice.tsx'
import { CallTable } from './usage-call-table.tsx'
import { type GroupId, groups, type RangeId, ranges, rangeStart } from './usage-range.ts'
import { LayerTable, ToolTable } from './usage-token-tables.tsx'
import { UsageTotals } from './usage-totals.tsx'

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
