import type { ReactNode } from 'react'
import { type ReportedManifest, useResource } from '../api/resources.ts'
import { count } from '../parts/numbers.ts'

/** Every candidate of a call: what became of it and what it cost. */
export function CallPanel({ call }: { readonly call: string | undefined }): ReactNode {
  const { data } = useResource<ReportedManifest>(
    call === undefined ? undefined : `/api/calls/${encodeURIComponent(call)}/manifest`,
  )
  if (data === undefined) return <p className="text-sm text-soft">Open a call to see what it read.</p>
  return (
    <table className="w-full text-sm">
      <tbody>
        {data.entries.map((entry) => (
          <tr key={`${entry.slot} ${entry.id}`}>
            <td>{entry.id}</td>
            <td>{entry.outcome}</td>
            <td className="text-end tabular-nums">{count(entry.tokens)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
