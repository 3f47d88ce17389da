import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { count, dollars } from '../parts/numbers.ts'
import type { TimelinePoint } from './timeline-points.ts'

interface TimelineTableProps {
  readonly session: string
  readonly points: readonly TimelinePoint[]
}

const columns = [
  { title: 'Call', className: 'text-start' },
  { title: 'Tokens', className: 'text-end' },
  { title: 'As before', className: 'text-end' },
  { title: 'Cost', className: 'text-end' },
  { title: 'What happened', className: 'ps-2 text-start' },
] as const

/** The same as the bars in numbers, for those who read rather than look. */
export function TimelineTable({ session, points }: TimelineTableProps): ReactNode {
  return (
    <details className="text-sm">
      <summary className="cursor-pointer text-soft">As a table</summary>
      <div className="max-h-80 overflow-auto">
        <table className="w-full tabular-nums">
          <thead className="text-xs text-soft">
            <tr>
              {columns.map(({ title, className }) => (
                <th key={title} scope="col" className={`py-1 font-medium ${className}`}>
                  {title}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {points.map(({ id, used, reused, money, isCut, cutWords, breaksCache }, index) => (
              <tr key={id} className="border-t border-line">
                <th scope="row" className="py-1 text-start font-normal">
                  <Link
                    className="text-accent underline"
                    href={`/sessions/${encodeURIComponent(session)}/calls/${encodeURIComponent(id)}`}
                  >
                    {index + 1}
                  </Link>
                </th>
                <td className="text-end">{count(used)}</td>
                <td className="text-end">{count(reused)}</td>
                <td className="text-end">{money === undefined ? '–' : dollars(money)}</td>
                <td className="ps-2">
                  {[...(isCut ? [cutWords ?? 'cut'] : []), ...(breaksCache ? ['cache broken'] : [])].join(', ')}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  )
}
