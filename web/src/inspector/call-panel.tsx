import type { ReactNode } from 'react'
import { type ManifestEntry, type Piece } from '../../../src/context.ts'
import type { ReportedManifest } from '../api/resources.ts'
import { ErrorNote } from '../parts/error-note.tsx'
import { count } from '../parts/numbers.ts'
import { Spinner } from '../parts/spinner.tsx'
import { segmentId, slotColor, slotTitles } from './bar-segments.ts'
import { useScenario } from './call-scenario.ts'
import { ContextBar } from './context-bar.tsx'
import { CostLine } from './cost-line.tsx'
import { EntryRow, type EntryRowProps, LeftOutRow } from './entry-row.tsx'
import { pieceTitle } from './entry-words.ts'
import { useForeignParts } from './foreign-parts.ts'
import { useAccount } from './previous-call.ts'
import type { Inspected } from './share-late-panel.tsx'
import { shownEntry } from './shown-entry.ts'
import { useAssembly } from './what-if-assembler.ts'
import type { Assembled } from './what-if-assembly.ts'

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
