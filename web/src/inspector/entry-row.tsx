import type { ReactNode } from 'react'
import { type Layer, type ManifestEntry, type Piece, reasonSentence, tokenx } from '../../../src/context.ts'
import type { ReportedManifest } from '../api/resources.ts'
import { Fold } from '../parts/fold.tsx'
import { count } from '../parts/numbers.ts'
import { originSentence, pieceText } from './entry-words.ts'

interface EntryRowProps {
  readonly title: string
  readonly entry: ManifestEntry
  readonly manifest: ReportedManifest
  /** What was sent of it. */
  readonly pieces: readonly Piece[]
  /** With all its forms, where it is a layer. */
  readonly layer: Pick<Layer, 'id' | 'renditions'> | undefined
  /** Shown at once: why it was left out. */
  readonly sentence?: string
}

/** One candidate of a call: it opens to its exact text, its origin, why it has this form, and its other forms. */
export function EntryRow({ title, entry, manifest, pieces, layer, sentence }: EntryRowProps): ReactNode {
  const { outcome, form, tokens, fullTokens } = entry
  const reason = reasonSentence(entry, manifest)
  const others = (layer?.renditions ?? []).filter((rendition) => outcome === 'omitted' || rendition.form !== form)
  return (
    <Fold
      className="border-b border-line text-sm last:border-0"
      summaryClassName="flex items-baseline gap-2 py-1"
      summary={
        <>
          <span className="min-w-0 flex-1 truncate">{sentence ?? title}</span>
          {outcome === 'reduced' && <span className="text-xs text-warn">{form}</span>}
          <span className="text-soft tabular-nums">{count(outcome === 'omitted' ? fullTokens : tokens)}</span>
        </>
      }
    >
      <div className="flex flex-col gap-2 pb-2 text-xs">
        {sentence !== undefined && <p>{sentence}</p>}
        {sentence === undefined && reason !== undefined && <p>{reason}</p>}
        <p className="text-soft">{originSentence(entry)}</p>
        {pieces.map((piece, index) => (
          <Text key={index} label={`Exact text of ${title}`} text={pieceText(piece)} />
        ))}
        {others.map((rendition) => (
          <Fold
            key={rendition.form}
            summaryClassName="text-soft"
            summary={`Other form: ${rendition.form}, ${count(rendition.tokens ?? tokenx.text(rendition.text))} tokens`}
          >
            <Text label={`${rendition.form} of ${title}`} text={rendition.text} />
          </Fold>
        ))}
      </div>
    </Fold>
  )
}

function Text({ label, text }: { readonly label: string; readonly text: string }): ReactNode {
  return (
    <pre
      aria-label={label}
      role="region"
      dir="auto"
      tabIndex={0}
      className="max-h-72 overflow-auto rounded border border-line bg-sunken p-2 font-mono whitespace-pre-wrap"
    >
      {text}
    </pre>
  )
}
