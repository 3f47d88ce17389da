import type { ReactNode } from 'react'
import { useResource } from '../api/resources.ts'
import { ErrorNote } from '../parts/error-note.tsx'
import { Spinner } from '../parts/spinner.tsx'
import { NewSchedule } from './schedules-form.tsx'
import { type ListedSchedule, SCHEDULES } from './schedules-kind.ts'
import { ScheduleRow } from './schedules-row.tsx'

/** How often the list is read again, ms: a schedule runs when it is due. */
const AGAIN_MS = 5_000

/** Messages that come by themselves: every schedule with its next times and its runs, and a form for a new one. */
export default function SchedulesPage(): ReactNode {
  const { data, error, mutate } = useResource<ScheduleList>(SCHEDULES, {
    refreshInterval: AGAIN_MS,
  })
  const change = () => void mutate()
  return (
    <div className="flex flex-col gap-6">
      <p className="text-soft">
        A schedule sends a message at set times while the gateway runs: each time once, and each with a budget.
      </p>
      {error && data === undefined && <ErrorNote error={error} />}
      {!error && data === undefined && <Spinner />}
      {data?.enabled === false && (
        <p className="rounded-lg border border-warn px-3 py-2 text-sm">
          Schedules are switched off: none is due. Set <code>schedules.enabled</code> to true.
        </p>
      )}
      {data?.schedules.length === 0 && <p className="text-sm text-soft">There is no schedule yet.</p>}
      {data !== undefined && data.schedules.length > 0 && (
        <ul aria-label="Schedules" className="flex flex-col divide-y divide-line rounded-lg border border-line">
          {data.schedules.map((schedule) => (
            <ScheduleRow key={schedule.id} schedule={schedule} onChanged={change} />
          ))}
        </ul>
      )}
      <NewSchedule onAdded={change} />
    </div>
  )
}

interface ScheduleList {
  readonly schedules: readonly ListedSchedule[]
  readonly enabled: boolean
}
