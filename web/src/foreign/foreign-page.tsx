import { type ReactNode, useState } from 'react'
import { useLocation } from 'wouter'
import type { SessionProgram } from '../../../src/capability.ts'
import type { ListedSession } from '../api/listed-session.ts'
import { SessionCost } from '../chat/session-cost.tsx'
import { InspectorPanel } from '../inspector/inspector-panel.tsx'
import { Button } from '../parts/button.tsx'
import { ErrorNote } from '../parts/error-note.tsx'
import { callsText } from '../parts/numbers.ts'
import { Spinner } from '../parts/spinner.tsx'
import { sessionTitle } from '../sessions/session-row.tsx'
import { FindingsPanel } from './findings-panel.tsx'
import { useForeignSession } from './foreign-session.ts'
import { ForeignTurns } from './foreign-turns.tsx'
import { programName } from '../parts/program-name.ts'

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
  const calls = data?.calls ?? []
  const name = programName(program)
  const next = {
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
        <header className="flex items-center gap-2 border-b border-line px-4 py-2">
          <h1 className="min-w-0 flex-1 truncate font-semibold">
            <bdi>{sessionTitle(session)}</bdi>
          </h1>
          <SessionCost session={id} turns={calls.length} />
        </header>
        <div className="min-h-0 flex-1 overflow-y-auto px-3">
          <div className="mx-auto flex max-w-3xl flex-col gap-4 py-4">
            <p className="text-sm text-soft">
              {`${name}${program.version === undefined ? '' : ` ${program.version}`}, ${callsText(program.calls)}. `}
              {`This conversation goes on in ${name}: here is what it sent and what came back.`}
            </p>
            {error && <ErrorNote error={error} />}
            {data === undefined && !error && <Spinner label="Reading the calls" />}
            {data?.findings && <FindingsPanel {...data.findings} />}
            {calls.length >= most && (
              <Button look="plain" onClick={() => setMost(Math.min(1_000, most + PAGE))} disabled={most >= 1_000}>
                Show earlier calls
              </Button>
            )}
            {data && <ForeignTurns session={id} calls={calls} open={call} />}
          </div>
        </div>
      </div>
      <InspectorPanel
        call={
          call ??
          (calls.findLast(({ foreign, outcome }) => foreign?.kind === 'turn' && !outcome?.error) ?? calls.at(-1))?.id
        }
        next={next}
        program={program}
        open={call !== undefined}
        onClose={() => navigate(`/sessions/${encodeURIComponent(id)}`)}
      />
    </div>
  )
}
