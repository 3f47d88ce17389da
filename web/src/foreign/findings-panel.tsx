import type { ReactNode } from 'react'
import { Link } from 'wouter'
import type { SessionFindings } from '../../../src/capability.ts'
import { Fold } from '../parts/fold.tsx'
import { callsText, count, dollars } from '../parts/numbers.ts'

/** What the calls of a session paid for without need, the most expensive first. Nothing where nothing was found. */
export function FindingsPanel({ session, calls, sum, findings }: SessionFindings): ReactNode {
  if (findings.length === 0) return null
  const money = sum.money === undefined ? '' : `, ${dollars(sum.money)}`
  const title = `${findings.length === 1 ? 'One finding' : `${count(findings.length)} findings`}${money}`
  return (
    <Fold
      className="rounded-lg border border-line bg-raised text-sm"
      summaryClassName="px-3 py-2 font-medium"
      summary={title}
    >
      <ul aria-label="Findings" className="flex flex-col border-t border-line">
        {findings.map((finding) => (
          <FindingRow key={`${finding.code} ${finding.message}`} session={session} finding={finding} />
        ))}
      </ul>
      <p className="border-t border-line px-3 py-2 text-xs text-soft">{`Looked for in ${callsText(calls)}.`}</p>
    </Fold>
  )
}

interface FindingRowProps {
  readonly session: string
  readonly finding: SessionFindings['findings'][number]
}

function FindingRow({ session, finding: { severity, message, hint, cost, where } }: FindingRowProps): ReactNode {
  const { kind, tokens, money } = cost
  const [first] = where.calls ?? []
  return (
    <li className="flex flex-col gap-0.5 border-t border-line px-3 py-2 first:border-0">
      <p dir="auto" className="break-words">
        <span className={severity === 'warning' ? 'text-warn' : 'text-soft'}>
          {severity === 'warning' ? 'Warning: ' : 'Note: '}
        </span>
        {message}
      </p>
      <p className="text-xs text-soft tabular-nums">
        {`${count(tokens)} tokens ${kind === 'again' ? 'not read from the cache' : 'sent'}`}
        {money !== undefined && `, ${dollars(money)}`}
        {first !== undefined && (
          <>
            {' · '}
            <Link
              className="text-accent underline"
              href={`/sessions/${encodeURIComponent(session)}/calls/${encodeURIComponent(first)}`}
            >
              Open the first call
            </Link>
          </>
        )}
      </p>
      <p className="text-xs text-soft">{hint}</p>
    </li>
  )
}
