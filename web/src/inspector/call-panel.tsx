import type { ReactNode } from 'react'
import { leftOutSentence, type ManifestEntry, type Piece } from '../../../src/context.ts'
import { type ReportedManifest, useResource } from '../api/resources.ts'
import { ErrorNote } from '../parts/error-note.tsx'
import { count } from '../parts/numbers.ts'
import { Spinner } from '../parts/spinner.tsx'
import { slotColor, slotTitles } from './bar-segments.ts'
import { ContextBar } from './context-bar.tsx'
import { CostLine } from './cost-line.tsx'
import { EntryRow } from './entry-row.tsx'
import { pieceTitle } from './entry-words.ts'
import type { NextCall } from './next-call.ts'
import { type CallAssembly, useCallAssembly } from './use-call-assembly.ts'

interface CallPanelProps {
  /** Absent: the next call. */
  readonly call: string | undefined
  readonly next: NextCall
}

/** Everything that a call read, in reading order, and what it left out, with the reasons. */
export function CallPanel(props: CallPanelProps): ReactNode {
  const { call } = props
  const { data: made } = useResource<ReportedManifest>(
    call === undefined ? undefined : `/api/calls/${encodeURIComponent(call)}/manifest`,
  )
  const { data: assembly, error } = useCallAssembly(props)
  // While the gateway is away, what it said last stays.
  if (error && made === undefined && !(assembly && error.code === 'offline')) return <ErrorNote error={error} />
  const manifest = made ?? assembly?.manifest
  if (manifest === undefined) return <Spinner label="Reading the call" />
  const { used, budget } = manifest
  return (
    <div className="flex flex-col gap-3">
      <ContextBar manifest={manifest} />
      <p className="text-sm">
        {`${count(used)} of ${count(budget.available)} tokens. Window ${count(budget.window)}, ` +
          `${count(budget.reserve)} kept for the answer, margin ${count(budget.margin)}.`}
      </p>
      <CostLine manifest={manifest} />
      <LeftOut manifest={manifest} assembly={assembly} />
      <Sent manifest={manifest} assembly={assembly} />
    </div>
  )
}

interface ListProps {
  readonly manifest: ReportedManifest
  /** Absent until it is read: then rows have no texts yet. */
  readonly assembly: CallAssembly | undefined
}

function LeftOut({ manifest, assembly }: ListProps): ReactNode {
  const left = numbered(manifest).filter(({ entry }) => entry.outcome === 'omitted')
  if (left.length === 0) return null
  return (
    <section aria-label="Left out" className="rounded-lg border border-line p-2">
      <h3 className="text-sm font-semibold">Left out</h3>
      {left.map(({ entry, index }) => {
        const title = pieceTitle(entry, [])
        return (
          <EntryRow
            key={index}
            title={title}
            entry={entry}
            manifest={manifest}
            pieces={[]}
            layer={layerOf(entry, assembly)}
            sentence={leftOutSentence(title, entry, manifest)}
          />
        )
      })}
    </section>
  )
}

function Sent({ manifest, assembly }: ListProps): ReactNode {
  const slots = Map.groupBy(
    numbered(manifest).filter(({ entry }) => entry.outcome !== 'omitted'),
    ({ entry }) => entry.slot,
  )
  return [...slots].map(([slot, rows]) => (
    <section key={slot} aria-label={slotTitles[slot]}>
      <h3 className="flex items-center gap-2 text-sm font-semibold">
        <span aria-hidden className="size-2.5 rounded-sm" style={{ background: slotColor(slot) }} />
        {slotTitles[slot]}
        <span className="ms-auto font-normal text-soft tabular-nums">{count(manifest.slots[slot])}</span>
      </h3>
      {rows.map(({ entry, index }) => {
        const pieces = piecesOf(index, assembly)
        return (
          <EntryRow
            key={index}
            title={pieceTitle(entry, pieces)}
            entry={entry}
            manifest={manifest}
            pieces={pieces}
            layer={layerOf(entry, assembly)}
          />
        )
      })}
    </section>
  ))
}

function numbered({ entries }: ReportedManifest): readonly { readonly entry: ManifestEntry; readonly index: number }[] {
  return entries.map((entry, index) => ({ entry, index }))
}

/** Of an after-input message that several layers share, each has its own text. */
function piecesOf(index: number, assembly: CallAssembly | undefined): readonly Piece[] {
  return (assembly?.pieces ?? []).flatMap((piece) => {
    const own = piece.joined?.find(({ entry }) => entry === index)
    if (own) return [{ entry: index, tokens: piece.tokens, content: own.text }]
    return piece.entry === index && piece.joined === undefined ? [piece] : []
  })
}

function layerOf({ id }: ManifestEntry, assembly: CallAssembly | undefined) {
  return assembly?.layers.find((layer) => layer.id === id)
}
