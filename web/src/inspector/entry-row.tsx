import type { ReactNode } from 'react'
import {
  entrySentence,
  type Manifest,
  type ManifestEntry,
  type Piece,
  placementSentence,
  placeSentence,
} from '../../../src/context.ts'
import type { ReportedManifest } from '../api/resources.ts'
import { Fold } from '../parts/fold.tsx'
import { count, dollars } from '../parts/numbers.ts'
import { EntryForm } from './entry-form.tsx'
import { EntryOrigin } from './entry-origin.tsx'
import { EntryText } from './entry-text.tsx'
import { entryTitle, formSentence, pieceText, formWords } from './entry-words.ts'
import { NoteDetails } from './note-details.tsx'
import type { Inspected } from './inspected.ts'
import { shownEntry } from './shown-entry.ts'
import type { PricedLayer } from './what-if-assembly.ts'
import { ErrorNote } from '../parts/error-note.tsx'
import { Spinner } from '../parts/spinner.tsx'
import { useScenario } from './call-scenario.ts'
import { historyTokens, leftOutTexts } from './left-out-texts.ts'
import { t, translated } from '../language/language.ts'
import { rich } from '../language/rich.ts'
import { useAccount, usePreviousCall } from './previous-call.ts'

export interface EntryRowProps extends Inspected {
  readonly title: string
  readonly entry: ManifestEntry
  readonly manifest: ReportedManifest
  /** What was sent of it. */
  readonly pieces: readonly Piece[]
  /** With all its forms, where it is a layer. */
  readonly layer: PricedLayer | undefined
  /** The account by our counter, and what this candidate has in it. */
  readonly counted: Manifest
  readonly countedTokens: number
  /** What it cost, US dollars, where that is known. */
  readonly paid: number | undefined
  /** Whether somebody asked to see it. */
  readonly shown: boolean
  /** It is all of its kind, and the heading of it. */
  readonly heading?: { readonly swatch: ReactNode; readonly share: ReactNode }
}

/** One candidate of a call: it opens to its exact text, where it comes from, where it was before, why it has this form, and its other forms. */
export function EntryRow({
  title,
  entry,
  manifest,
  pieces,
  layer,
  counted,
  countedTokens,
  paid,
  shown,
  heading,
  ...inspected
}: EntryRowProps): ReactNode {
  const { outcome, form, tokens } = entry
  return (
    <Fold
      className="text-sm"
      summaryClassName={
        heading ? 'flex items-center gap-2 font-semibold' : 'flex items-baseline gap-2 py-0.5 text-soft hover:text-ink'
      }
      shown={shown}
      onShown={() => shownEntry.ask(undefined)}
      summary={
        <>
          {heading?.swatch}
          <span className="min-w-0 flex-1 truncate">{title}</span>
          {outcome === 'reduced' && <EntryForm form={form} className="text-xs font-normal text-warn" />}
          {paid !== undefined && tokens > 0 && (
            <span className="text-xs font-normal text-soft tabular-nums">{dollars(paid)}</span>
          )}
          {heading?.share}
          <span className="min-w-12 text-end font-normal tabular-nums">{count(tokens)}</span>
        </>
      }
    >
      <div className="flex flex-col gap-2 pb-2 text-xs">
        <p>{formSentence(entry, manifest, layer?.renditions.length ?? 1)}</p>
        {countedTokens !== tokens && (
          <p className="text-soft">{t`Counted here: ${countedTokens} by ${counted.counter.id}.`}</p>
        )}
        <EntryPlace {...inspected} entry={entry} counted={counted} />
        {entry.places && <p className="text-soft">{translated(placementSentence(entry, manifest)!)}</p>}
        <EntryOrigin entry={entry} pieces={pieces} isForeign={inspected.program !== undefined} />
        {pieces.map((piece, index) => (
          <EntryText key={index} label={t`Exact text of ${title}`} text={pieceText(piece)} />
        ))}
        {entry.layer === 'note' && <NoteDetails {...inspected} entry={entry} manifest={manifest} />}
        <OtherForms title={title} layer={layer} form={form} />
      </div>
    </Fold>
  )
}

interface OtherFormsProps {
  readonly title: string
  readonly layer: PricedLayer | undefined
  /** The form that is sent. */
  readonly form: string | undefined
}

/** The forms that are not sent, each with its cost. */
function OtherForms({ title, layer, form }: OtherFormsProps): ReactNode {
  const others = (layer?.renditions ?? []).filter((rendition) => rendition.form !== form && rendition.text !== '')
  return others.map((rendition) => (
    <Fold
      key={rendition.form}
      summaryClassName="text-soft"
      summary={<>{rich`Other form: ${<EntryForm form={rendition.form} />}, ${rendition.tokens} tokens`}</>}
    >
      <EntryText label={`${title}, ${formWords(rendition.form)}`} text={rendition.text} />
    </Fold>
  ))
}

interface LeftOutRowProps extends Inspected {
  readonly entry: ManifestEntry
  readonly manifest: Manifest
  /** By our counter. */
  readonly counted: Manifest
}

/** What a call left out: why, with the numbers that decided. It opens to the exact text. */
export function LeftOutRow({ entry, manifest, counted, ...inspected }: LeftOutRowProps): ReactNode {
  return (
    <Fold
      className="border-b border-line text-sm last:border-0"
      summaryClassName="flex items-baseline gap-2 py-1"
      summary={
        <>
          <span className="min-w-0 flex-1">{translated(entrySentence(entry, manifest) ?? '')}</span>
          <span className="text-soft tabular-nums">{count(entry.fullTokens)}</span>
        </>
      }
    >
      <div className="flex flex-col gap-2 pb-2 text-xs">
        <EntryPlace {...inspected} entry={entry} counted={counted} />
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
function Texts({ entry, manifest, ...inspected }: Omit<LeftOutRowProps, 'counted'>): ReactNode {
  const isHistory = entry.slot === 'history'
  const history = isHistory ? historyTokens(manifest) : undefined
  const { data, error } = useScenario({ ...inspected, history })
  if (error) return <ErrorNote error={error} />
  if (data === undefined) return <Spinner label={t`Reading what was left out`} />
  const texts = leftOutTexts(entry, manifest, data)
  if (texts.length === 0) return <p className="text-soft">{t`Its text is no longer part of the input.`}</p>
  const title = entryTitle(entry, manifest)
  return texts.map(({ name, text }, index) => (
    <div key={index}>
      {name !== undefined && <p className="text-soft">{name}</p>}
      <EntryText label={t`Text of ${name ?? title} that was left out`} text={text} />
    </div>
  ))
}

interface EntryPlaceProps extends Inspected {
  readonly entry: ManifestEntry
  /** By our counter, as the account of the call before is. */
  readonly counted: Manifest
}

/** The position of a candidate in the previous call. */
function EntryPlace({ entry, counted, ...inspected }: EntryPlaceProps): ReactNode {
  const before = useAccount(usePreviousCall(inspected))
  if (before === undefined) return null
  const isSame = (each: ManifestEntry) => each.id === entry.id && each.layer === entry.layer && each.slot === entry.slot
  const own = counted.entries.find(isSame) ?? entry
  return <p className="text-soft">{placeSentence(own, counted, before)}</p>
}
