import type { ReactNode } from 'react'
import {
  entrySentence,
  formPhrase,
  type Manifest,
  type ManifestEntry,
  type Piece,
  placementSentence,
} from '../../../src/context.ts'
import type { ReportedManifest } from '../api/resources.ts'
import { ErrorNote } from '../parts/error-note.tsx'
import { count, dollars } from '../parts/numbers.ts'
import { Spinner } from '../parts/spinner.tsx'
import { segmentId, slotColor, slotTitles } from './bar-segments.ts'
import { useScenario } from './call-scenario.ts'
import { ContextBar } from './context-bar.tsx'
import { CostLine } from './cost-line.tsx'
import { entryTitle, formSentence, pieceText, pieceTitle } from './entry-words.ts'
import { useForeignParts } from './foreign-parts.ts'
import { useAccount } from './previous-call.ts'
import type { Inspected } from './share-late-panel.tsx'
import { shownEntry } from './shown-entry.ts'
import { useAssembly } from './what-if-assembler.ts'
import type { Assembled, PricedLayer } from './what-if-assembly.ts'
import { Fold } from '../parts/fold.tsx'
import { EntryOrigin } from './entry-origin.tsx'
import { EntryPlace } from './entry-place.tsx'
import { EntryText } from './entry-text.tsx'
import { historyTokens, leftOutTexts } from './left-out-texts.ts'
import { NoteDetails } from './note-details.tsx'
import { EntryForm } from './entry-form.tsx'

/** Everything that a call read, in reading order, and what it left out, with the reasons. */
export function CallPanel(inspected: Inspected): ReactNode {
  const { call, program } = inspected
  const made = useAccount(call)
  const { data: scenario, error: unread } = useScenario(program ? undefined : inspected)
  const parts = useForeignParts(program && call)
  const own = useAssembly(scenario)
  const assembled = program ? parts.assembled : own.assembled
  const error = unread ?? parts.error
  const manifest = made ?? (call === undefined ? assembled?.manifest : undefined)
  // The strip reports why the next call cannot be read again; what was read last stays.
  if (manifest === undefined) return error ? <ErrorNote error={error} /> : <Spinner label="Reading the call" />
  const { used } = manifest
  return (
    <div className="flex flex-col gap-3">
      <ContextBar manifest={manifest} onOpen={({ id }) => shownEntry.ask({ call, id })} />
      <p className="text-sm">{program ? `${count(used)} tokens, as counted here.` : windowWords(manifest)}</p>
      {parts.error && <ErrorNote error={parts.error} />}
      <CostLine manifest={manifest} />
      <LeftOut {...inspected} manifest={manifest} />
      <Sent {...inspected} manifest={manifest} assembled={assembled} />
    </div>
  )
}

function windowWords({ used, budget: { available, window, reserve, margin } }: ReportedManifest): string {
  return (
    `${count(used)} of ${count(available)} tokens. Window ${count(window)}, ` +
    `${count(reserve)} kept for the answer, margin ${count(margin)}.`
  )
}

interface ListProps extends Inspected {
  readonly manifest: ReportedManifest
  /** Absent until it is made: then rows have no texts yet. */
  readonly assembled: Assembled | undefined
}

function LeftOut(list: Omit<ListProps, 'assembled'>): ReactNode {
  const left = numbered(list.manifest).filter(({ entry }) => entry.outcome === 'omitted')
  if (left.length === 0) return null
  return (
    <section aria-label="Left out" className="rounded-lg border border-line p-2">
      <h3 className="text-sm font-semibold">Left out</h3>
      {left.map(({ entry, index }) => (
        <LeftOutRow key={index} {...list} entry={entry} />
      ))}
    </section>
  )
}

function Sent({ assembled, ...list }: ListProps): ReactNode {
  const { manifest, call, program } = list
  const titleOf = (slot: ManifestEntry['slot']) => (program && slot === 'input' ? 'Newest turn' : slotTitles[slot])
  const shown = shownEntry.useAsked()
  const slots = Map.groupBy(
    numbered(manifest).filter(({ entry }) => entry.outcome !== 'omitted'),
    ({ entry }) => entry.slot,
  )
  const row = (entry: ManifestEntry, index: number): EntryRowProps => {
    const pieces = piecesOf(index, assembled)
    return {
      ...list,
      entry,
      pieces,
      title: pieceTitle(entry, manifest, pieces),
      layer: assembled?.layers.find(({ id, layer }) => id === entry.id && layer === entry.layer),
      paid: manifest.paid?.entries[index],
      shown: shown?.call === call && shown?.id === segmentId(entry, index),
    }
  }
  return [...slots].map(([slot, rows]) => (
    <section key={slot} aria-label={titleOf(slot)}>
      <h3 className="flex items-center gap-2 text-sm font-semibold">
        <span aria-hidden className="size-2.5 rounded-sm" style={{ background: slotColor(slot) }} />
        {titleOf(slot)}
        <span className="ms-auto font-normal text-soft tabular-nums">{count(manifest.slots[slot])}</span>
      </h3>
      {rows.map(({ entry, index }) => (
        <EntryRow key={index} {...row(entry, index)} />
      ))}
    </section>
  ))
}

function numbered({ entries }: ReportedManifest): readonly { readonly entry: ManifestEntry; readonly index: number }[] {
  return entries.map((entry, index) => ({ entry, index }))
}

/** Of an after-input message that several layers share, each has its own text. */
function piecesOf(index: number, assembled: Assembled | undefined): readonly Piece[] {
  return (assembled?.pieces ?? []).flatMap((piece) => {
    const own = piece.joined?.find(({ entry }) => entry === index)
    if (own) return [{ entry: index, tokens: piece.tokens, content: own.text }]
    return piece.entry === index && piece.joined === undefined ? [piece] : []
  })
}

interface LeftOutRowProps extends Inspected {
  readonly entry: ManifestEntry
  readonly manifest: Manifest
}

/** What a call left out: why, with the numbers that decided. It opens to the exact text. */
function LeftOutRow({ entry, manifest, ...inspected }: LeftOutRowProps): ReactNode {
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

interface EntryRowProps extends Inspected {
  readonly title: string
  readonly entry: ManifestEntry
  readonly manifest: ReportedManifest
  /** What was sent of it. */
  readonly pieces: readonly Piece[]
  /** With all its forms, where it is a layer. */
  readonly layer: PricedLayer | undefined
  /** What it cost, US dollars, where that is known. */
  readonly paid: number | undefined
  /** Whether somebody asked to see it. */
  readonly shown: boolean
}

/** One candidate of a call: it opens to its exact text, where it comes from, where it was before, why it has this form, and its other forms. */
function EntryRow({ title, entry, manifest, pieces, layer, paid, shown, ...inspected }: EntryRowProps): ReactNode {
  const { outcome, form, tokens } = entry
  return (
    <Fold
      className="border-b border-line text-sm last:border-0"
      summaryClassName="flex items-baseline gap-2 py-1"
      shown={shown}
      onShown={() => shownEntry.ask(undefined)}
      summary={
        <>
          <span className="min-w-0 flex-1 truncate">{title}</span>
          {outcome === 'reduced' && <EntryForm form={form} className="text-xs text-warn" />}
          {paid !== undefined && tokens > 0 && <span className="text-xs text-soft tabular-nums">{dollars(paid)}</span>}
          <span className="min-w-12 text-end text-soft tabular-nums">{count(tokens)}</span>
        </>
      }
    >
      <div className="flex flex-col gap-2 pb-2 text-xs">
        <p>{formSentence(entry, manifest, layer?.renditions.length ?? 1)}</p>
        <EntryPlace {...inspected} entry={entry} manifest={manifest} />
        {entry.places && <p className="text-soft">{placementSentence(entry, manifest)}</p>}
        <EntryOrigin entry={entry} pieces={pieces} isForeign={inspected.program !== undefined} />
        {pieces.map((piece, index) => (
          <EntryText key={index} label={`Exact text of ${title}`} text={pieceText(piece)} />
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
      summary={
        <>
          Other form: <EntryForm form={rendition.form} />, {count(rendition.tokens)} tokens
        </>
      }
    >
      <EntryText label={`${title}, ${formPhrase(rendition.form)}`} text={rendition.text} />
    </Fold>
  ))
}
