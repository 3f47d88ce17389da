import { type ReactNode, useState } from 'react'
import { Link } from 'wouter'
import { type AuditPage, type AuditRecord, useResource } from '../api/resources.ts'
import { Button } from '../parts/button.tsx'
import { ErrorNote } from '../parts/error-note.tsx'
import { Fold } from '../parts/fold.tsx'
import { Spinner } from '../parts/spinner.tsx'
import { auditCall, auditFacts, auditOutcome } from './audit-words.ts'
import { timeText } from '../parts/numbers.ts'
import { t } from '../language/language.ts'

interface AuditRecordsProps {
  readonly label: string
  /** Of the request, such as `after=2&limit=3`. */
  readonly query: string
}

export function AuditRecords({ label, query }: AuditRecordsProps): ReactNode {
  const { data, error } = useResource<AuditPage>(`/api/audit?${query}`)
  if (error) return <ErrorNote error={error} />
  if (data === undefined) return <Spinner />
  return <RecordList label={label} records={data.records} />
}

const PAGE = 50

interface AuditHistoryProps {
  readonly filter: string
  /** Only records with smaller numbers are shown. */
  readonly before?: number
  onSession(session: string): void
}

/** The newest records that match a filter, and older ones when they are asked for. */
export function AuditHistory({ filter, before, onSession }: AuditHistoryProps): ReactNode {
  /** The filter whose older records were asked for. */
  const [olderOf, setOlderOf] = useState<string>()
  const older = olderOf === filter
  const query = new URLSearchParams(filter)
  query.set('last', String(PAGE))
  if (before !== undefined) query.set('before', String(before))
  const { data, error } = useResource<AuditPage>(`/api/audit?${query.toString()}`, { keepPreviousData: true })
  if (error) return <ErrorNote error={error} />
  if (data === undefined) return <Spinner />
  const { records } = data
  const first = records[0]?.number
  if (first === undefined) return <p className="py-2 text-sm text-soft">{emptyText(filter, before)}</p>
  return (
    <>
      <RecordList
        label={before === undefined ? t`Records` : t`Records before ${before}`}
        records={records}
        onSession={onSession}
      />
      {records.length === PAGE && first > 1 && !older && (
        <Button look="plain" className="self-start" onClick={() => setOlderOf(filter)}>
          {t`Show older`}
        </Button>
      )}
      {older && <AuditHistory filter={filter} before={first} onSession={onSession} />}
    </>
  )
}

function emptyText(filter: string, before: number | undefined): string {
  if (before !== undefined) return t`There are no older ones.`
  return filter === ''
    ? t`No records yet. Every call of a tool, and every decision about one, will have one.`
    : t`No record matches.`
}

interface RecordListProps {
  readonly label: string
  readonly records: readonly AuditRecord[]
  onSession?(session: string): void
}

function RecordList({ label, records, onSession }: RecordListProps): ReactNode {
  return (
    <ul aria-label={label} className="flex flex-col divide-y divide-line border-y border-line">
      {records.toReversed().map((record) => (
        <li key={record.number}>
          <Fold summary={<RecordLine record={record} />} summaryClassName="cursor-pointer py-2 text-sm">
            <RecordFacts record={record} onSession={onSession} />
          </Fold>
        </li>
      ))}
    </ul>
  )
}

const colors = { good: 'text-good', warn: 'text-warn', bad: 'text-bad' } as const

function RecordLine({ record }: { readonly record: AuditRecord }): ReactNode {
  const { text, look } = auditOutcome(record)
  return (
    <span className="inline-flex w-[calc(100%-1.25rem)] flex-col gap-0.5 align-top">
      <span className="flex flex-wrap gap-x-3">
        <span className={`font-medium ${colors[look]}`}>{text}</span>
        <span className="font-medium">{record.tool ?? record.kind}</span>
        <time dateTime={record.time} className="ms-auto text-soft tabular-nums">
          {`${timeText(record.time)} · ${record.number}`}
        </time>
      </span>
      <span dir="ltr" className="truncate font-mono text-xs text-soft">
        {auditCall(record)}
      </span>
    </span>
  )
}

interface RecordFactsProps {
  readonly record: AuditRecord
  readonly onSession: RecordListProps['onSession']
}

function RecordFacts({ record, onSession }: RecordFactsProps): ReactNode {
  const { session } = record
  return (
    <div className="flex flex-col gap-2 rounded-lg bg-raised p-3 mb-2">
      <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-3 gap-y-1 text-xs">
        {auditFacts(record).map(([name, text]) => (
          <div key={name} className="contents">
            <dt className="text-soft">{name}</dt>
            <dd dir="ltr" className="font-mono break-words whitespace-pre-wrap">
              {text}
            </dd>
          </div>
        ))}
      </dl>
      {session !== undefined && (
        <p className="flex flex-wrap gap-x-4 text-sm text-accent">
          <Link href={`/sessions/${encodeURIComponent(session)}`} className="underline">
            {t`Open the session`}
          </Link>
          {onSession && (
            <button type="button" className="underline" onClick={() => onSession(session)}>
              {t`Only records of this session`}
            </button>
          )}
        </p>
      )}
    </div>
  )
}
