import { type ReactNode, useEffect, useRef } from 'react'
import { Link } from 'wouter'
import { calibratedManifest } from '../../../src/context.ts'
import { type ReportedManifest, useResource } from '../api/resources.ts'
import { count, dollars } from '../parts/numbers.ts'
import { ContextBar } from './context-bar.tsx'
import { Figure } from './figure.tsx'

interface CallBarProps {
  readonly session: string
  readonly call: string
  /** Whether its turn is over. */
  readonly ended: boolean
  /** Called when its cost was read, or is known to be unknown. */
  onPaid(call: string, paid: ReportedManifest['paid']): void
}

/** The bar of a call that was made, beside its answer. It opens the call in the inspector. */
export function CallBar({ session, call, ended, onPaid }: CallBarProps): ReactNode {
  const { data, mutate } = useResource<ReportedManifest>(`/api/calls/${encodeURIComponent(call)}/manifest`, {
    revalidateOnFocus: false,
  })
  const wasEnded = useRef(ended)
  useEffect(() => {
    // What the provider reported is known now.
    if (ended && !wasEnded.current) void mutate()
    wasEnded.current = ended
  }, [ended, mutate])
  useEffect(() => {
    if (data !== undefined) onPaid(call, data.paid)
  }, [call, data, onPaid])
  if (data === undefined) return <div className="h-5" />
  const { total, money } = data.figures
  return (
    <Link
      href={`/sessions/${encodeURIComponent(session)}/calls/${encodeURIComponent(call)}`}
      className="flex items-center gap-2 rounded text-xs text-soft hover:text-ink"
    >
      <span className="w-40 max-w-[50%]">
        <ContextBar manifest={calibratedManifest(data, total)} />
      </span>
      <span>
        <Figure kind="total" call={call} value={total}>
          {`${count(total)} tokens`}
        </Figure>
        {money !== undefined && (
          <Figure kind="money" call={call} value={money}>
            {`, ${dollars(money)}`}
          </Figure>
        )}
      </span>
    </Link>
  )
}
