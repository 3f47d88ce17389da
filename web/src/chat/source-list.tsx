import type { ReactNode } from 'react'
import type { CitationSource } from '../../../src/session.ts'
import { SourcePreview } from '../markdown/citation.tsx'
import { Fold } from '../parts/fold.tsx'
import { LongList } from '../parts/long-text.tsx'
import { t } from '../language/language.ts'

interface SourceListProps {
  readonly sources: readonly CitationSource[]
  /** The numbers that the answer cites. */
  readonly cited?: ReadonlySet<number>
}

/** Documents that a model was given, each with its number, its place and its passage. */
export function SourceList({ sources, cited }: SourceListProps): ReactNode {
  if (sources.length === 0) return null
  return (
    <ul className="flex flex-col gap-1" aria-label={t`Sources`}>
      <LongList
        items={sources}
        atOnce={50}
        draw={(source, index) => (
          <li key={index} className="rounded-md border border-line">
            <Fold
              summaryClassName="truncate px-2 py-1"
              summary={
                <>
                  <span className="me-1 text-soft">{`[${source.citation}]`}</span>
                  <bdi>{placed(source)}</bdi>
                  {cited?.has(source.citation) && <span className="ms-2 text-accent">{t`cited`}</span>}
                </>
              }
            >
              <div className="border-t border-line p-2">
                <SourcePreview source={source} />
              </div>
            </Fold>
          </li>
        )}
      />
    </ul>
  )
}

function placed({ title, page, headings = [] }: CitationSource): string {
  const place = page === undefined ? headings.at(-1) : t`page ${page}`
  return place === undefined ? title : `${title}, ${place}`
}
