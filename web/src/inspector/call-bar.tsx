import { type ReactNode, useEffect, useRef } from 'react'
import { Link } from 'wouter'
import { type ReportedManifest, useResource } from '../api/resources.ts'
import { count } from '../parts/numbers.ts'
import { ContextBar } from './context-bar.tsx'

interface CallBarProps {
  readonly session: string
  readonly call: string
  /** Whether its turn is over. */
  readonly ended: boolean
}

/** The bar of a call that was made, beside its answer. It opens the call in the inspector. */
export function CallBar({ session, call, ended }: CallBarProps): ReactNode {
  const { data, mutate } = useResource<ReportedManifest>(`/api/calls/${encodeURIComponent(call)}/manifest`, {
    revalidateOnFocus: false,
  })
  const wasEnded = useRef(ended)
  useEffect(() => {
    // What the provider reported is known now.
    if (ended && !wasEnded.current) void mutate()
    wasEnded.current = ended
  }, [ended, mutate])
  if (data === undefined) return <div className="h-5" />
  return (
    <Link
      href={`/sessions/${encodeURIComponent(session)}/calls/${encodeURIComponent(call)}`}
      className="flex items-center gap-2 rounded text-xs text-soft hover:text-ink"
    >
      <span className="w-40 max-w-[50%]">
        <ContextBar manifest={data} />
      </span>
      {count(data.used)} tokens
    </Link>
  )
}
