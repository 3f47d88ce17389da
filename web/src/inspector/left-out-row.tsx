import type { ReactNode } from 'react'
import { entrySentence, type Manifest, type ManifestEntry } from '../../../src/context.ts'
import { ErrorNote } from '../parts/error-note.tsx'
import { Fold } from '../parts/fold.tsx'
import { count } from '../parts/numbers.ts'
import { Spinner } from '../parts/spinner.tsx'
import { useScenario } from './call-scenario.ts'
import { EntryOrigin } from './entry-origin.tsx'
import { EntryPlace } from './entry-place.tsx'
import { EntryText } from './entry-text.tsx'
import { entryTitle } from './entry-words.ts'
import { historyTokens, leftOutTexts } from './left-out-texts.ts'
import { NoteDetails } from './note-details.tsx'
import type { Inspected } from './share-late-panel.tsx'

interface LeftOutRowProps extends Inspected {
  readonly entry: ManifestEntry
  readonly manifest: Manifest
}

/** What a call left out: why, with the numbers that decided. It opens to the exact text. */
export function LeftOutRow({ entry, manifest, ...inspected }: LeftOutRowProps): ReactNode {
  return (
    <Fold
      className="border-b border-line text-sm last:border-0"
      summaryClassName="flex items-baseline gap-2 py-1"
      summary={
        <>
          <span className="min-w-0 flex-1">{entrySentence(entry, manifest)}</span>
          <span className="text-soft tabular-nums">{count(entry.fullTokens)}</span>
        </>
      }
    >
      <div className="flex flex-col gap-2 pb-2 text-xs">
        <EntryPlace {...inspected} entry={entry} manifest={manifest} />
        <EntryOrigin entry={entry} pieces={[]} isForeign={inspected.program !== undefined} />
        {entry.layer === 'note' ? (
          <NoteDetails {...inspected} entry={entry} manifest={manifest} />
        ) : (
          <Texts {...inspected} entry={entry} manifest={manifest} />
        )}
      </div>
    </Fold>
  )
}

/** The texts, read with as much of the conversation as it takes to have them. */
function Texts({ entry, manifest, ...inspected }: LeftOutRowProps): ReactNode {
  const isHistory = entry.slot === 'history'
  const history = isHistory ? historyTokens(manifest) : undefined
  const { data, error } = useScenario({ ...inspected, history })
  if (error) return <ErrorNote error={error} />
  if (data === undefined) return <Spinner label="Reading what was left out" />
  const texts = leftOutTexts(entry, manifest, data)
  if (texts.length === 0) return <p className="text-soft">Its text is no longer part of the input.</p>
  const title = entryTitle(entry, manifest)
  return texts.map(({ name, text }, index) => (
    <div key={index}>
      {name !== undefined && <p className="text-soft">{name}</p>}
      <EntryText label={`Text of ${name ?? title} that was left out`} text={text} />
    </div>
  ))
}
