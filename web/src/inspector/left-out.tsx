import type { ReactNode } from 'react'
import { equalRanges, type Manifest, type ManifestEntry, noteNumber, turnNumber } from '../../../src/context.ts'
import { Fold } from '../parts/fold.tsx'
import { count } from '../parts/numbers.ts'
import { LeftOutRow } from './entry-row.tsx'
import type { Inspected } from './inspected.ts'
import { t } from '../language/language.ts'

export interface LeftOutProps extends Inspected {
  readonly manifest: Manifest
  /** With the tokens of our counter. */
  readonly counted: Manifest
}

/** What a call left out, ranges of equal rows folded; nothing where everything is in it. */
export function LeftOut(list: LeftOutProps): ReactNode {
  const { manifest } = list
  const left = manifest.entries.filter(({ outcome }) => outcome === 'omitted')
  if (left.length === 0) return null
  return (
    <section aria-label={t`Left out`} className="rounded-lg border border-dashed border-strong-line p-2">
      <h3 className="text-sm font-semibold">{t`Left out`}</h3>
      {foldedRanges(left, manifest).map(({ title, tokens, entries }, index) =>
        title === undefined ? (
          <LeftOutRow key={index} {...list} entry={entries[0]!} />
        ) : (
          <Fold
            key={index}
            className="border-b border-line text-sm last:border-0"
            summaryClassName="flex items-baseline gap-2 py-1"
            summary={
              <>
                <span className="min-w-0 flex-1">{title}</span>
                <span className="text-soft tabular-nums">{count(tokens)}</span>
              </>
            }
          >
            <div className="ps-3">
              {entries.map((entry, at) => (
                <LeftOutRow key={at} {...list} entry={entry} />
              ))}
            </div>
          </Fold>
        ),
      )}
    </section>
  )
}

interface LeftOutRange {
  /** Absent: one candidate, which says for itself why it was left out. */
  readonly title?: string
  readonly tokens: number
  readonly entries: readonly ManifestEntry[]
}

/** Neighbours that were left out for the same reason as one range: `Turns 1,870 to 1,995: replaced by note 3`. */
function foldedRanges(left: readonly ManifestEntry[], manifest: Manifest): readonly LeftOutRange[] {
  return equalRanges(left).map((entries): LeftOutRange => {
    const tokens = entries.reduce((sum, { fullTokens }) => sum + fullTokens, 0)
    const title = entries.length > 1 && `${rangeName(entries, manifest)}: ${whyWords(entries[0]!, manifest)}`
    return { ...(title && { title }), tokens, entries }
  })
}

function rangeName(entries: readonly ManifestEntry[], manifest: Manifest): string {
  const [first, last] = [entries[0]!, entries.at(-1)!].map((entry) => turnNumber(entry, manifest))
  if (first !== undefined && last !== undefined && first !== last) return t`Turns ${first} to ${last}`
  if (entries[0]!.slot === 'tools') return t`${entries.length} tools`
  return t`${entries.length} of ${entries[0]!.layer.replaceAll('-', ' ')}`
}

function whyWords({ reason }: ManifestEntry, manifest: Manifest): string {
  switch (reason?.code) {
    case 'noted': {
      const { note } = reason
      const number = note === undefined ? 0 : noteNumber({ id: String(note) }, manifest)
      return number === 0 ? t`replaced by notes` : t`replaced by note ${number}`
    }
    case 'low-water':
    case 'budget':
    case 'shortage':
      return t`there was no room for them`
    case 'deferred':
      return t`the model looks them up where it needs them`
    case 'undone':
      return t`taken back by a person`
    default:
      return t`for the same reason`
  }
}
