import type { KeyboardEvent, ReactNode } from 'react'
import { Link } from 'wouter'
import useSWR from 'swr'
import type { ApiError } from '../api/client.ts'
import { ErrorNote } from '../parts/error-note.tsx'
import { count, dollars, percent, price } from '../parts/numbers.ts'
import { Spinner } from '../parts/spinner.tsx'
import type { Inspected } from './inspected.ts'
import { Figure } from './figure.tsx'
import { readAllCalls } from './previous-call.ts'
import { type TimelineCall, type TimelinePoint, timelinePoints } from './timeline-points.ts'
import { t } from '../language/language.ts'

/** Every call of a session as a bar: its prompt, what of it was there before, and where it was cut. */
export default function TimelinePanel({ session, call }: Inspected): ReactNode {
  const { data, error } = useSWR<readonly TimelineCall[], ApiError>(
    session === undefined ? undefined : ['timeline', session],
    () => readAllCalls<TimelineCall>(session!),
    { refreshInterval: 5_000 },
  )
  if (error) return <ErrorNote error={error} />
  if (session === undefined) return <p className="text-sm text-soft">{t`The timeline begins with the first call.`}</p>
  if (data === undefined) return <Spinner />
  const points = timelinePoints(data)
  if (points.length === 0) return <p className="text-sm text-soft">{t`The timeline begins with the first call.`}</p>
  const most = Math.max(...points.map(({ figures }) => figures.total))
  const notes = data.filter(({ kind }) => kind === 'note').length
  // Calls for notes and titles are no bars, and are paid.
  const money = data.every(({ figures }) => figures.money !== undefined)
    ? data.reduce((sum, { figures }) => sum + figures.money!, 0)
    : undefined
  return (
    <div className="flex flex-col gap-3">
      <p className="text-sm text-soft">
        {points.length === 1
          ? t`One call. The largest has ${most} tokens.`
          : t`${points.length} calls. The largest has ${most} tokens.`}{' '}
        {notes > 0 && `${notes === 1 ? t`One more wrote a note.` : t`${notes} more wrote notes.`} `}
        {money !== undefined && t`Cost: ${money === 0 ? t`nothing` : dollars(money)}.`}
      </p>
      <ol
        aria-label={t`Calls of the session`}
        className="flex h-36 items-stretch gap-px overflow-x-auto pt-1"
        onKeyDown={moveFocus}
      >
        {points.map((point, index) => (
          <li key={point.id} className="flex min-w-2 max-w-8 flex-1">
            <TimelineBar session={session} point={point} number={index + 1} most={most} isOpen={point.id === call} />
          </li>
        ))}
      </ol>
      <ul aria-label={t`What the colours mean`} className="flex flex-wrap gap-x-4 gap-y-1 text-xs text-soft">
        <Sign color="var(--slot-history)" text={t`as in the call before`} />
        <Sign color="var(--slot-input)" text={t`new`} />
        <Sign color="var(--warn)" text={t`history cut`} />
        <Sign color="var(--bad)" text={t`cache broken`} />
      </ul>
      <TimelineTable session={session} points={points} />
    </div>
  )
}

interface TimelineBarProps {
  readonly session: string
  readonly point: TimelinePoint
  readonly number: number
  /** Tokens of the largest call. */
  readonly most: number
  readonly isOpen: boolean
}

function TimelineBar({ session, point, number, most, isOpen }: TimelineBarProps): ReactNode {
  const { id, isCut, breaksCache } = point
  const { total: used, same: reused = 0 } = point.figures
  return (
    <Link
      href={`/sessions/${encodeURIComponent(session)}/calls/${encodeURIComponent(id)}`}
      aria-label={pointWords(point, number)}
      title={pointWords(point, number)}
      aria-current={isOpen ? 'true' : undefined}
      className={`flex w-full flex-col rounded-sm ${isOpen ? 'bg-line' : 'hover:bg-sunken'}`}
    >
      <span aria-hidden className="flex h-4 shrink-0 flex-col items-center gap-0.5">
        {isCut && <span className="size-1.5 rotate-45 bg-warn" />}
        {breaksCache && <span className="size-1.5 rounded-full bg-bad" />}
      </span>
      <span aria-hidden className="flex min-h-0 flex-1 flex-col justify-end">
        <span
          className="flex w-full flex-col overflow-hidden rounded-t-sm"
          style={{ height: `${(used / most) * 100}%` }}
        >
          <span className="flex-1 bg-slot-input" />
          <span className="bg-slot-history" style={{ height: `${(reused / Math.max(1, used)) * 100}%` }} />
        </span>
      </span>
    </Link>
  )
}

function pointWords({ figures, isCut, cutWords, breaksCache }: TimelinePoint, number: number): string {
  const { total: used, same: reused = 0, money } = figures
  const facts = [
    t`Call ${number}: ${used} tokens`,
    t`${percent(reused / Math.max(1, used))} as in the call before`,
    ...(money === undefined ? [] : [price(money)]),
    ...(isCut ? [t`history cut`, ...(cutWords === undefined ? [] : [cutWords])] : []),
    ...(breaksCache ? [t`cache broken`] : []),
  ]
  return facts.join(', ')
}

/** The arrow keys go from call to call. */
function moveFocus(event: KeyboardEvent<HTMLOListElement>): void {
  if (event.key !== 'ArrowLeft' && event.key !== 'ArrowRight') return
  const links = [...event.currentTarget.querySelectorAll('a')]
  const at = links.indexOf(document.activeElement as HTMLAnchorElement)
  const next = links[at + (event.key === 'ArrowRight' ? 1 : -1)]
  if (at < 0 || next === undefined) return
  event.preventDefault()
  next.focus()
}

function Sign({ color, text }: { readonly color: string; readonly text: string }): ReactNode {
  return (
    <li className="flex items-center gap-1.5">
      <span aria-hidden className="size-2 rounded-full" style={{ background: color }} />
      {text}
    </li>
  )
}

interface TimelineTableProps {
  readonly session: string
  readonly points: readonly TimelinePoint[]
}

const columns = [
  { title: t`Call`, className: 'text-start' },
  { title: t`Tokens`, className: 'ps-2 text-end' },
  { title: t`Same`, className: 'ps-2 text-end' },
  { title: t`Cached`, className: 'ps-2 text-end' },
  { title: t`Cost`, className: 'ps-2 text-end' },
  { title: t`What happened`, className: 'min-w-40 ps-3 text-start' },
] as const

/** The same as the bars in numbers, for those who read rather than look. */
function TimelineTable({ session, points }: TimelineTableProps): ReactNode {
  return (
    <details className="text-sm">
      <summary className="cursor-pointer text-soft">{t`As a table`}</summary>
      <div className="max-h-80 overflow-auto">
        {/* The sentences of the last column leave the numbers whole. */}
        <table className="w-full text-xs whitespace-nowrap tabular-nums">
          <thead className="text-soft">
            <tr>
              {columns.map(({ title, className }) => (
                <th key={title} scope="col" className={`py-1 font-medium ${className}`}>
                  {title}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {points.map(({ id, figures: { total, same, money, cached }, isCut, cutWords, breaksCache }, index) => (
              <tr key={id} className="border-t border-line">
                <th scope="row" className="py-1 text-start font-normal">
                  <Link
                    className="text-accent underline"
                    href={`/sessions/${encodeURIComponent(session)}/calls/${encodeURIComponent(id)}`}
                  >
                    {index + 1}
                  </Link>
                </th>
                <td className="ps-2 text-end">
                  <Figure kind="total" call={id} value={total}>
                    {count(total)}
                  </Figure>
                </td>
                <td className="ps-2 text-end">{same === undefined ? '–' : count(same)}</td>
                <td className="ps-2 text-end">
                  <Figure kind="cached" call={id} value={cached}>
                    {cached === undefined ? '–' : count(cached)}
                  </Figure>
                </td>
                <td className="ps-2 text-end">
                  <Figure kind="money" call={id} value={money}>
                    {money === undefined ? '–' : price(money)}
                  </Figure>
                </td>
                <td className="ps-3 whitespace-normal">
                  {[...(isCut ? [cutWords ?? t`cut`] : []), ...(breaksCache ? [t`cache broken`] : [])].join(', ')}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  )
}
