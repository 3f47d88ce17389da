import type { ReactNode } from 'react'
import { Fold } from '../parts/fold.tsx'
import type { Turn } from './conversation.ts'
import { SourceList } from './source-list.tsx'

/** The sources of a turn: those that its answer cites, and those that the model read and did not cite. */
export function SourcesPanel({ turn: { parts, sources } }: { readonly turn: Turn }): ReactNode {
  if (sources.length === 0) return null
  const cited = new Set(
    parts.flatMap((part) => (part.type === 'text' ? part.citations : [])).map(({ citation }) => citation),
  )
  const documents = new Set(sources.map(({ document }) => document)).size
  return (
    <Fold
      className="text-sm"
      summaryClassName="text-soft"
      summary={`${documents} ${documents === 1 ? 'source' : 'sources'}, ${cited.size} cited`}
    >
      <div className="mt-2">
        <SourceList sources={sources} cited={cited} />
      </div>
    </Fold>
  )
}
