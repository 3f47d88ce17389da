import { type ReactNode, useState } from 'react'
import { Link, useLocation } from 'wouter'
import type { SessionFindings, SessionProgram } from '../../../src/capability.ts'
import type { ListedSession } from '../api/listed-session.ts'
import { SessionCost } from '../chat/session-cost.tsx'
import { Inspector, useInspector } from '../inspector/inspector.tsx'
import { Button } from '../parts/button.tsx'
import { ErrorNote } from '../parts/error-note.tsx'
import { callsText, dollars } from '../parts/numbers.ts'
import { Spinner } from '../parts/spinner.tsx'
import { usePageTitle } from '../parts/page-title.ts'
import { sessionTitle } from '../sessions/session-row.tsx'
import { useForeignSession } from './foreign-session.ts'
import { ForeignTurns } from './foreign-turns.tsx'
import { programName } from '../parts/program-name.ts'
import { Fold } from '../parts/fold.tsx'
import { t } from '../language/language.ts'

interface ForeignPageProps {
  readonly session: ListedSession
  readonly program: SessionProgram
  /** The call that is open in the inspector. */
  readonly call: string | undefined
}

/** Calls that are shown at first, and how many more a person asks for. */
const PAGE = 100

/** A session of another program: what was said, call by call, what each cost, and what changed between two. Nothing is said here. */
export default function ForeignPage({ session, program, call }: ForeignPageProps): ReactNode {
  const { id } = session
  const [most, setMost] = useState(PAGE)
  const { data, error } = useForeignSession(id, most)
  const [, navigate] = useLocation()
  const inspector = useInspector()
  const calls = data?.calls ?? []
  const name = programName(program)
  usePageTitle(sessionTitle(session))
  const next = {
    isKnown: true,
    session: id,
    draft: '',
    attachments: [],
    model: undefined,
    chosen: {},
    head: undefined,
    settledTurns: calls.length,
  }
  return (
    <div className="flex min-h-0 flex-1">
      <div className="flex min-w-0 flex-1 flex-col">
        <header className="flex items-center gap-2 border-b border-line px-4 py-2 max-lg:ps-12">
          <h1 className="min-w-0 flex-1 truncate font-semibold">
            <bdi>{sessionTitle(session)}</bdi>
          </h1>
          <SessionCost session={id} turns={calls.length} />
        </header>
        <div className="min-h-0 flex-1 overflow-y-auto px-3">
          <div className="mx-auto flex max-w-176 flex-col gap-4 py-4">
            <p className="text-sm text-soft">
              {`${name}${program.version === undefined ? '' : ` ${program.version}`}, ${callsText(program.calls)}. `}
              {t`This conversation goes on in ${name}: here is what it sent and what came back.`}
            </p>
            {error && <ErrorNote error={error} />}
            {data === undefined && !error && <Spinner label={t`Reading the calls`} />}
            {data?.findings && <FindingsPanel {...data.findings} />}
            {calls.length >= most && (
              <Button look="plain" onClick={() => setMost(most + PAGE)}>
                {t`Show earlier calls`}
              </Button>
            )}
            {data && <ForeignTurns session={id} calls={calls} open={call} />}
          </div>
        </div>
      </div>
      <Inspector
        call={
          call ??
          (calls.findLast(({ foreign, outcome }) => foreign?.kind === 'turn' && !outcome?.error) ?? calls.at(-1))?.id
        }
        next={next}
        program={program}
        shown={inspector.shown || call !== undefined}
        isBeside={inspector.isBeside}
        isFirst={inspector.isFirst}
        onClose={() => {
          inspector.close()
          navigate(`/sessions/${encodeURIComponent(id)}`)
        }}
      />
    </div>
  )
}

/** What the calls of a session paid for without need, the most expensive first. Nothing where nothing was found. */
function FindingsPanel({ session, calls, sum, findings }: SessionFindings): ReactNode {
  if (findings.length === 0) return null
  const money = sum.money === undefined ? '' : `, ${dollars(sum.money)}`
  const title = `${findings.length === 1 ? t`One finding` : t`${findings.length} findings`}${money}`
  return (
    <Fold
      className="rounded-lg border border-line bg-raised text-sm"
      summaryClassName="px-3 py-2 font-medium"
      summary={title}
    >
      <ul aria-label={t`Findings`} className="flex flex-col border-t border-line">
        {findings.map((finding) => (
          <FindingRow key={`${finding.code} ${finding.message}`} session={session} finding={finding} />
        ))}
      </ul>
      <p className="border-t border-line px-3 py-2 text-xs text-soft">{t`Looked for in ${callsText(calls)}.`}</p>
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
          {severity === 'warning' ? t`Warning` : t`Note`}
          {': '}
        </span>
        {message}
      </p>
      <p className="text-xs text-soft tabular-nums">
        {kind === 'again' ? t`${tokens} tokens not read from the cache` : t`${tokens} tokens sent`}
        {money !== undefined && `, ${dollars(money)}`}
        {first !== undefined && (
          <>
            {' · '}
            <Link
              className="text-accent underline"
              href={`/sessions/${encodeURIComponent(session)}/calls/${encodeURIComponent(first)}`}
            >
              {t`Open the first call`}
            </Link>
          </>
        )}
      </p>
      <p className="text-xs text-soft">{hint}</p>
    </li>
  )
}
