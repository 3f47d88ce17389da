import { type ReactNode, useState } from 'react'
import { useResource } from '../api/resources.ts'
import { ErrorNote } from '../parts/error-note.tsx'
import { Spinner } from '../parts/spinner.tsx'
import { EditSchedule, NewSchedule } from './schedules-form.tsx'
import {
  budgetTitle,
  dueTitle,
  type ListedSchedule,
  runCost,
  runTitle,
  type ScheduleRun,
  SCHEDULES,
} from './schedules-kind.ts'
import { Link } from 'wouter'
import { api, type ApiError } from '../api/client.ts'
import { Button } from '../parts/button.tsx'
import { Empty } from '../parts/empty.tsx'
import { Fold } from '../parts/fold.tsx'
import { Confirmation } from '../parts/dialog.tsx'
import { t, translated } from '../language/language.ts'
import { rich } from '../language/rich.ts'

/** How often schedules and their runs are read again, ms: one runs when it is due. */
const AGAIN_MS = 5_000

/** Messages that come by themselves: every schedule with its next times and its runs, and a form for a new one. */
export default function SchedulesPage(): ReactNode {
  const { data, error, mutate } = useResource<ScheduleList>(SCHEDULES, { refreshInterval: AGAIN_MS })
  const change = () => void mutate()
  return (
    <div className="flex flex-col gap-6">
      <p className="text-soft">
        {t`A schedule sends a message at set times while the gateway runs, each time with a budget.`}
      </p>
      {error && data === undefined && <ErrorNote error={error} />}
      {!error && data === undefined && <Spinner />}
      {data?.enabled === false && (
        <p className="rounded-lg border border-warn px-3 py-2 text-sm">
          {rich`Schedules are switched off: none is due. Set ${<code>schedules.enabled</code>} to true.`}
        </p>
      )}
      {data !== undefined && data.schedules.length > 0 && (
        <ul aria-label={t`Schedules`} className="flex flex-col divide-y divide-line rounded-lg border border-line">
          {data.schedules.map((schedule) => (
            <ScheduleRow key={schedule.id} schedule={schedule} onChanged={change} />
          ))}
        </ul>
      )}
      {data?.schedules.length === 0 && <Empty>{t`There is no schedule yet. Write the first one below.`}</Empty>}
      <NewSchedule onAdded={change} />
    </div>
  )
}

interface ScheduleList {
  readonly schedules: readonly ListedSchedule[]
  readonly enabled: boolean
}

interface RowProps {
  readonly schedule: ListedSchedule
  onChanged(): void
}

/** One schedule: what it does, when it is due next, what became of its runs, and what can be done about it. */
function ScheduleRow({ schedule, onChanged }: RowProps): ReactNode {
  const { name, when, timeZone, text, session, budget, ifChanged, state, next, last } = schedule
  const [isEdited, setIsEdited] = useState(false)
  return (
    <li aria-label={name} className="flex flex-col gap-2 px-3 py-3 text-sm">
      <div className="flex flex-wrap items-baseline gap-x-2">
        <span className="font-medium break-words">{name}</span>
        <span className="text-soft">{`${when} (${timeZone})`}</span>
        {state !== 'active' && <span className="text-warn">{state === 'paused' ? t`paused` : t`finished`}</span>}
      </div>
      <p className="line-clamp-3 break-words text-soft" dir="auto">
        {text}
      </p>
      <p>
        {session === undefined ? t`In a new session each time` : rich`In ${<SessionLink session={session} />}`}
        {` · ${t`${budgetTitle(budget)} a run`}`}
        {ifChanged !== undefined && ` · ${t`if changed: ${ifChanged}`}`}
      </p>
      {state === 'active' && (
        <p>
          {t`Next:`}{' '}
          {next.map((time, index) => (
            <span key={time}>
              {index > 0 && ', '}
              <time dateTime={time}>{dueTitle(time, timeZone)}</time>
            </span>
          ))}
        </p>
      )}
      {isEdited ? (
        <EditSchedule
          schedule={schedule}
          onEnd={() => {
            setIsEdited(false)
            onChanged()
          }}
        />
      ) : (
        <ScheduleActions schedule={schedule} onEdit={() => setIsEdited(true)} onChanged={onChanged} />
      )}
      {last !== undefined && (
        <Fold summary={t`Last run: ${dueTitle(last.due, timeZone)}, ${runTitle(last)}`}>
          <Runs schedule={schedule} />
        </Fold>
      )}
    </li>
  )
}

function SessionLink({ session }: { readonly session: string }): ReactNode {
  return (
    <Link className="text-accent underline" href={`/sessions/${encodeURIComponent(session)}`}>
      {session}
    </Link>
  )
}

function ScheduleActions({
  schedule: { id, name, state },
  onEdit,
  onChanged,
}: RowProps & { onEdit(): void }): ReactNode {
  const [asks, setAsks] = useState(false)
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<Pick<ApiError, 'message' | 'hint'>>()
  const path = `${SCHEDULES}/${encodeURIComponent(id)}`
  const act = async (work: () => Promise<ScheduleRun | undefined>): Promise<void> => {
    setBusy(true)
    setError(undefined)
    try {
      const run = await work()
      if (run?.result.type === 'failed') setError({ message: translated(run.result.reason), hint: undefined })
    } catch (failure) {
      setError(failure as ApiError)
    }
    setBusy(false)
    setAsks(false)
    onChanged()
  }
  const pause = (paused: boolean) => act(() => api(path, { method: 'PATCH', body: { paused } }).then(() => undefined))
  return (
    <>
      {error && <ErrorNote error={error} />}
      <div className="flex flex-wrap gap-2">
        <Button look="plain" disabled={busy} onClick={() => void act(() => api(`${path}/run`, { method: 'POST' }))}>
          {t`Run now`}
        </Button>
        <Button look="plain" aria-label={t`Edit ${name}`} disabled={busy} onClick={onEdit}>
          {t`Edit`}
        </Button>
        {state === 'active' && (
          <Button look="plain" disabled={busy} onClick={() => void pause(true)}>
            {t`Pause`}
          </Button>
        )}
        {state === 'paused' && (
          <Button look="plain" disabled={busy} onClick={() => void pause(false)}>
            {t`Resume`}
          </Button>
        )}
        {!asks && (
          <Button look="plain" aria-label={t`Remove ${name}`} disabled={busy} onClick={() => setAsks(true)}>
            {t`Remove`}
          </Button>
        )}
      </div>
      {asks && (
        <Confirmation
          action={t`Remove ${name} now`}
          busy={busy}
          onConfirm={() => void act(() => api(path, { method: 'DELETE' }))}
          onCancel={() => setAsks(false)}
        >
          {t`It is never due again. The sessions of its runs stay.`}
        </Confirmation>
      )}
    </>
  )
}

function Runs({ schedule: { id, name, timeZone } }: { readonly schedule: ListedSchedule }): ReactNode {
  const { data, error } = useResource<{ readonly runs: readonly ScheduleRun[] }>(
    `${SCHEDULES}/${encodeURIComponent(id)}/runs`,
    { refreshInterval: AGAIN_MS },
  )
  if (error && data === undefined) return <ErrorNote error={error} />
  if (data === undefined) return <Spinner />
  return (
    <ul aria-label={t`Runs of ${name}`} className="mt-2 divide-y divide-line">
      {data.runs.map((run) => (
        <li key={`${run.due} ${run.by}`} className="flex flex-wrap gap-x-3 py-1.5">
          <time dateTime={run.due}>{dueTitle(run.due, timeZone)}</time>
          {run.by === 'person' && <span className="text-soft">{t`by hand`}</span>}
          <span className={run.result.type === 'failed' ? 'text-bad' : 'text-soft'}>{runTitle(run)}</span>
          {runCost(run) !== undefined && <span>{runCost(run)}</span>}
          {run.result.type === 'sent' && <SessionLink session={run.result.session} />}
        </li>
      ))}
    </ul>
  )
}
