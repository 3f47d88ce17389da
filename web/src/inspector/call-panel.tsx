import { type ReactNode, useMemo } from 'react'
import {
  calibratedManifest,
  type CallFigures,
  callFigures,
  divideExactly,
  type Manifest,
  type ManifestEntry,
  type Piece,
  windowShare,
} from '../../../src/context.ts'
import type { Preview, ReportedManifest } from '../api/resources.ts'
import { ErrorNote } from '../parts/error-note.tsx'
import { Fold } from '../parts/fold.tsx'
import { count, localNumbers } from '../parts/numbers.ts'
import { Spinner } from '../parts/spinner.tsx'
import { type EntryKind, entryKind, kindColor, kindTitles, segmentId } from './bar-segments.ts'
import { useScenario } from './call-scenario.ts'
import { CallSum } from './call-sum.tsx'
import { ContextBar, isSmall } from './context-bar.tsx'
import { EntryRow, type EntryRowProps } from './entry-row.tsx'
import { pieceTitle, turnPieceTitle } from './entry-words.ts'
import { Figure } from './figure.tsx'
import { useForeignParts } from './foreign-parts.ts'
import { LeftOut, type LeftOutProps } from './left-out.tsx'
import { nextPreview } from './next-preview.ts'
import { useAccount } from './previous-call.ts'
import type { Inspected } from './inspected.ts'
import { shownEntry } from './shown-entry.ts'
import { useAssembly } from './what-if-assembler.ts'
import type { Assembled } from './what-if-assembly.ts'
import { t } from '../language/language.ts'
import { rich } from '../language/rich.ts'

/** Everything that a call read, in reading order, and what it left out, with the reasons. */
export function CallPanel(inspected: Inspected): ReactNode {
  const { call, program } = inspected
  const account = useShownAccount(inspected)
  const { data: scenario, error: unread } = useScenario(program ? undefined : inspected)
  const parts = useForeignParts(program && call)
  const own = useAssembly(scenario)
  const assembled = program ? parts.assembled : own.assembled
  const error = unread ?? parts.error
  const manifest = useMemo(
    () => account && withTurnName(calibratedManifest(account.counted, account.figures.total), assembled),
    [account, assembled],
  )
  // The line under the field reports why the next call cannot be read again; what was read last stays.
  if (account === undefined || manifest === undefined)
    return error ? <ErrorNote error={error} /> : <Spinner label={t`Reading the call`} />
  return (
    <div className="flex flex-col gap-3">
      <div>
        <ContextBar manifest={manifest} onOpen={({ id }) => shownEntry.ask({ call, id })} />
        <p className="mt-1 text-xs text-soft">
          {program ? t`${manifest.used} tokens` : <WindowWords call={call} figures={account.figures} />}
        </p>
      </div>
      {account.counted.fallback && <p className="text-sm text-warn">{account.counted.fallback.sentence}</p>}
      {parts.error && <ErrorNote error={parts.error} />}
      <CallSum call={call} {...account} manifest={manifest} />
      <Sent {...inspected} manifest={manifest} counted={account.counted} assembled={assembled} />
      <LeftOut {...inspected} manifest={manifest} counted={account.counted} />
    </div>
  )
}

interface ShownAccount {
  /** As our counter has it. */
  readonly counted: ReportedManifest
  readonly figures: CallFigures
  /** What its longest answer would cost, US dollars: of the next call. */
  readonly answer?: number | undefined
  /** Whether it can be sent at all. */
  readonly fits?: boolean
}

/** A call that was made, or the next one as the line under the field has it. */
function useShownAccount({ session, call }: Inspected): ShownAccount | undefined {
  const made = useAccount(call)
  const asked = nextPreview.useAsked()
  return useMemo(() => {
    if (made) return { counted: made, figures: made.figures }
    if (call !== undefined || !asked || asked.session !== session) return undefined
    const { preview, error } = asked
    const overfull = error?.facts['manifest'] as Manifest | undefined
    if (preview) return accountOf(preview)
    if (overfull === undefined) return undefined
    return { ...accountOf({ manifest: overfull, figures: callFigures(overfull, { price: undefined }) }), fits: false }
  }, [made, call, asked, session])
}

function accountOf({ manifest, figures, cost }: Pick<Preview, 'manifest' | 'figures' | 'cost'>): ShownAccount {
  return { counted: { ...manifest, figures }, figures, answer: cost?.answer }
}

/** The size of the call in the window of its model. A small one is drawn larger, which is said. */
function WindowWords({
  call,
  figures,
}: {
  readonly call: string | undefined
  readonly figures: CallFigures
}): ReactNode {
  const { total, window } = figures
  return (
    <>
      {rich`${(
        <Figure kind="total" call={call} value={total}>
          {count(total)}
        </Figure>
      )} of ${(
        <Figure kind="window" call={call} value={window}>
          {count(window)}
        </Figure>
      )} tokens`}
      {isSmall(figures) && `; ${t`the bar shows only what is used`}`}
    </>
  )
}

interface ListProps extends LeftOutProps {
  readonly manifest: ReportedManifest
  /** Absent until it is made: then rows have no texts yet. */
  readonly assembled: Assembled | undefined
}

function Sent({ assembled, counted, ...list }: ListProps): ReactNode {
  const { manifest, call, program } = list
  const hasMore = manifest.entries.some(({ slot, name }) => slot === 'input' && name === THIS_TURN)
  const titleOf = (kind: EntryKind) => {
    if (kind !== 'input') return kindTitles[kind]
    return program ? t`Newest turn` : hasMore ? THIS_TURN : kindTitles.input
  }
  const shown = shownEntry.useAsked()
  const kinds = Map.groupBy(
    numbered(manifest).filter(
      ({ entry }) => entry.outcome !== 'omitted' && (entry.fullTokens > 0 || entry.slot !== 'input'),
    ),
    ({ entry }) => entryKind(entry),
  )
  const rows = (entry: ManifestEntry, index: number): readonly EntryRowProps[] => {
    const pieces = piecesOf(entry, index, assembled)
    const row = {
      ...list,
      counted,
      entry,
      pieces,
      title: pieceTitle(entry, manifest, pieces),
      countedTokens: counted.entries[index]!.tokens,
      layer: assembled?.layers.find(({ id, layer }) => id === entry.id && layer === entry.layer),
      paid: manifest.paid?.entries[index],
      shown: shown?.call === call && shown?.id === segmentId(entry, index),
    }
    return entry.layer === 'turn' && entry.slot === 'input' && pieces.length > 1 ? turnRows(row) : [row]
  }
  return [...kinds].map(([kind, own]) => {
    const title = titleOf(kind)
    const all = own.flatMap(({ entry, index }) => rows(entry, index))
    const tokens = own.reduce((sum, { entry }) => sum + entry.tokens, 0)
    const share = (
      <span className="font-normal text-soft">
        {localNumbers(windowShare({ total: tokens, window: manifest.used }))}
      </span>
    )
    const swatch = <span aria-hidden className="size-2.5 shrink-0 rounded-sm" style={{ background: kindColor(kind) }} />
    const [only] = all
    return (
      <section key={kind} aria-label={title}>
        {all.length === 1 && only?.title === title ? (
          <EntryRow {...only} heading={{ swatch, share }} />
        ) : (
          <>
            <h3 className="flex items-center gap-2 text-sm font-semibold tabular-nums">
              {swatch}
              <span className="flex-1">{title}</span>
              {share}
              <span className="min-w-12 text-end font-normal">{count(tokens)}</span>
            </h3>
            <div className="ps-4.5">
              <Rows rows={all} fold={kind === 'tools'} />
            </div>
          </>
        )}
      </section>
    )
  })
}

/** More than these are folded, where that is what they are for. */
const FEW = 3

function Rows({ rows, fold }: { readonly rows: readonly EntryRowProps[]; readonly fold: boolean }): ReactNode {
  const list = rows.map((row, at) => <EntryRow key={at} {...row} />)
  if (!fold || rows.length <= FEW) return list
  const [one, other] = rows
  return (
    <Fold
      summaryClassName="truncate py-0.5 text-sm text-soft hover:text-ink"
      summary={t`${one!.title}, ${other!.title} and ${rows.length - 2} more`}
      shown={rows.some(({ shown }) => shown)}
    >
      {list}
    </Fold>
  )
}

/** A turn that is more than its message is called one. */
function withTurnName(manifest: ReportedManifest, assembled: Assembled | undefined): ReportedManifest {
  const entries = manifest.entries.map((entry, index) => {
    const isMore = entry.layer === 'turn' && entry.slot === 'input' && piecesOf(entry, index, assembled).length > 1
    return isMore ? { ...entry, name: THIS_TURN } : entry
  })
  return { ...manifest, entries }
}

const THIS_TURN = t`This turn`

/** The message of a running turn, and each call and result behind it: rows of their own, whose tokens and money add up to the turn's. */
function turnRows(row: EntryRowProps): readonly EntryRowProps[] {
  const { entry, pieces, paid, countedTokens, shown } = row
  const weights = pieces.map(({ tokens }) => tokens)
  const [tokens, raw] = [divideExactly(entry.tokens, weights), divideExactly(countedTokens, weights)]
  const nanos = paid === undefined ? undefined : divideExactly(Math.round(paid * 1e9), weights)
  return pieces.map((piece, at) => ({
    ...row,
    entry: { ...entry, tokens: tokens[at]!, fullTokens: tokens[at]! },
    pieces: [piece],
    title: turnPieceTitle(piece),
    countedTokens: raw[at]!,
    paid: nanos && nanos[at]! / 1e9,
    shown: shown && at === 0,
  }))
}

function numbered({ entries }: ReportedManifest): readonly { readonly entry: ManifestEntry; readonly index: number }[] {
  return entries.map((entry, index) => ({ entry, index }))
}

/** Of an after-input message that several layers share, each has its own text. None where the assembly is of another moment. */
function piecesOf({ id }: ManifestEntry, index: number, assembled: Assembled | undefined): readonly Piece[] {
  if (assembled?.manifest.entries[index]?.id !== id) return []
  return assembled.pieces.flatMap((piece) => {
    const own = piece.joined?.find(({ entry }) => entry === index)
    if (own) return [{ entry: index, tokens: piece.tokens, content: own.text }]
    return piece.entry === index && piece.joined === undefined ? [piece] : []
  })
}
