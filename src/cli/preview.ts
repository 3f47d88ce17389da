import { forecastSentence, type GatewayConnection, type Io } from '../capability.ts'
import {
  calibratedManifest,
  type CallFigures,
  type CutRecord,
  cutSentence,
  type Manifest,
  type ManifestEntry,
  exactLine,
  type ListedRow,
  listedRows,
  numberText,
  type Piece,
  placementSentences,
  calibratedTokens,
} from '../context.ts'
import type { Preview } from '../runtime.ts'
import { requestJson } from './answer.ts'
import { lineLimit, applyStyle } from './io.ts'
import { singleLine, table } from './table.ts'
import { isRunningTurn, turnRows } from './turn-rows.ts'
import type { FileRow } from '../session.ts'

/** The request and the manifest of the next call. Nothing is sent or written. */
export async function fetchPreview(connection: GatewayConnection, options: PreviewOptions): Promise<Preview> {
  return await requestJson<Preview>(connection, '/api/context', { method: 'POST', body: options })
}

interface PreviewOptions {
  readonly session?: string | undefined
  readonly input?: string | undefined
  readonly model?: string | undefined
  readonly system?: string | undefined
  /** The choices of the session: ids by the name of the choice. */
  readonly [choice: string]: string | undefined
}

interface FiguredAccount {
  readonly manifest: Manifest
  readonly figures: CallFigures
}

/** The terminal columns that the whole table needs. On a narrower terminal, the reason has a line of its own. */
const WIDE = 80
const WIDEST_BAR = 60
const LEAST_ID = 8

/**
 * A manifest for people: how full the window is, with a bar, a line for each candidate or range of
 * equal ones, and a sentence for each that is not sent in full, all in the provider's tokens. Of the turn itself each of `pieces` has a line.
 * Omitted candidates are dimmed and reduced ones highlighted. Lines fit the terminal; a pipe gets every character.
 */
export function outlineText(counted: FiguredAccount, io: Io, pieces: readonly Piece[] = []): string {
  const manifest = calibratedManifest(counted.manifest, counted.figures.total)
  const { budget, used } = manifest
  const { window, reserve, margin, available } = budget
  const rows = listedRows(manifest)
  const columns = lineLimit(io)
  const free = Math.max(0, available - used)
  const kept = [`${numberText(reserve)} for the answer`, ...(margin > 0 ? [`${numberText(margin)} margin`] : [])]
  const shares = { used, reserved: reserve + margin, whole: window }
  const facts = [
    `${numberText(used)} of ${numberText(available)} tokens used,`,
    `${numberText(free)} free;`,
    `window ${numberText(window)}:`,
    kept.join(', '),
  ]
  return [
    ...wrapped(facts, columns),
    bar(shares, Math.min(columns, WIDEST_BAR), io),
    ...outlineLines(
      rows.flatMap((row) => withTurnRows(row, pieces)),
      columns,
      io,
    ),
    ...sentenceLines(counted, manifest, rows, columns),
  ].join('\n')
}

function withTurnRows(row: ListedRow, pieces: readonly Piece[]): readonly ListedRow[] {
  return isRunningTurn(row.entry) && pieces.length > 1 ? turnRows(row.entry, pieces) : [row]
}

/** What the call may cost, in lines that fit the terminal; none where nothing is known. */
export function forecastLines(preview: Preview, io: Io): readonly string[] {
  const sentence = forecastSentence(preview)
  return sentence === undefined ? [] : ['', ...wrapped(sentence.split(' '), lineLimit(io))]
}

function sentenceLines(
  counted: FiguredAccount,
  manifest: Manifest,
  rows: readonly ListedRow[],
  columns: number,
): readonly string[] {
  const wordsOf = (sentence: string) =>
    exactLine(sentence)
      .split(' ')
      .flatMap((word) => slices(word, columns))
  const { cutRecord }: Manifest & { readonly cutRecord?: CutRecord } = manifest
  const cut = cutRecord ? [cutSentence(cutRecord, { total: manifest.used, used: counted.manifest.used })] : []
  const all = [...rows.flatMap(({ sentence }) => sentence ?? []), ...cut, ...placementSentences(manifest)]
  const sentences = all.flatMap((sentence) => wrapped(wordsOf(sentence), columns))
  return sentences.length === 0 ? [] : ['', ...sentences]
}

function outlineLines(listed: readonly ListedRow[], columns: number, io: Io): readonly string[] {
  const entries = listed.map(({ entry, name }) => ({ ...entry, id: name }))
  const isNarrow = columns < WIDE
  const cellsOf = isNarrow ? narrowCells : wideCells
  const head = isNarrow
    ? ['slot', 'what', 'tokens', 'outcome']
    : ['slot', 'what', 'form', 'tokens', 'full', 'outcome', 'why']
  const right = isNarrow ? [2] : [3, 4]
  const rows = [head, ...entries.map(cellsOf)]
  const room = Math.max(LEAST_ID, columns - widthBesideId(rows))
  const [heading, ...shown] = table(
    rows.map((row) => row.map((cell, column) => (column === 1 ? singleLine(cell, room) : cell))),
    right,
  ).split('\n')
  return [
    applyStyle(io, 'bold', heading!),
    ...shown.flatMap((line, index) => {
      const { outcome, reason } = entries[index]!
      const why = isNarrow && reason !== undefined ? [`  why: ${reason.code}`] : []
      if (outcome === 'omitted') return [line, ...why].map((each) => applyStyle(io, 'dim', each))
      return [outcome === 'reduced' ? applyStyle(io, 'yellow', line) : line, ...why]
    }),
  ]
}

function wideCells({ slot, id, form, tokens, fullTokens, outcome, reason }: ManifestEntry): readonly string[] {
  return [slot, id, form ?? '-', numberText(tokens), numberText(fullTokens), outcome, reason?.code ?? '']
}

function narrowCells({ slot, id, tokens, outcome }: ManifestEntry): readonly string[] {
  return [slot, id, numberText(tokens), outcome]
}

function widthBesideId(rows: readonly (readonly string[])[]): number {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)))
  return widths.reduce((sum, cells, column) => sum + (column === 1 ? 0 : cells) + (column === 0 ? 0 : 2), 0)
}

function slices(word: string, columns: number): readonly string[] {
  if (word.length <= columns) return [word]
  return Array.from({ length: Math.ceil(word.length / columns) }, (_, at) =>
    word.slice(at * columns, (at + 1) * columns),
  )
}

/** Pieces of a sentence as lines of at most `columns` characters. */
function wrapped(pieces: readonly string[], columns: number): readonly string[] {
  const text: string[] = ['']
  for (const piece of pieces) {
    const joined = text.at(-1) === '' ? piece : `${text.at(-1)} ${piece}`
    if (joined.length <= columns || text.at(-1) === '') text[text.length - 1] = joined
    else text.push(piece)
  }
  return text
}

/** Amounts of one kind, such as tokens of a window. */
interface BarShares {
  readonly used: number
  /** What is kept free, such as the room for the answer. It is at the end of the bar. */
  readonly reserved?: number
  readonly whole: number
}

/** A bar of `columns` cells: used, free, reserved. It is full only where nothing is free. ASCII on a dumb terminal. */
export function bar({ used, reserved = 0, whole }: BarShares, columns: number, io: Pick<Io, 'environment'>): string {
  const [full, free, kept] = io.environment.TERM === 'dumb' ? ['#', '-', '.'] : ['█', '░', '▒']
  const reservedCells = barCells(reserved, whole, columns)
  const usable = columns - reservedCells
  const usedCells =
    whole > 0 && used + reserved >= whole ? usable : Math.min(barCells(used, whole, columns), Math.max(0, usable - 1))
  return full.repeat(usedCells) + free.repeat(usable - usedCells) + kept.repeat(reservedCells)
}

function barCells(amount: number, whole: number, columns: number): number {
  if (!(amount > 0) || !(whole > 0)) return 0
  return Math.min(columns, Math.max(1, Math.round((amount / whole) * columns)))
}

/**
 * A function from a count of ours to the tokens of the provider, by the next call of a session, or of a new one. Where no call
 * can be prepared, such as without a model, counts stay as they are.
 */
export async function fetchTokenScale(
  connection: GatewayConnection,
  session?: string,
): Promise<(counted: number) => number> {
  const preview = await fetchPreview(connection, session === undefined ? {} : { session }).catch(() => undefined)
  if (preview === undefined) return (counted) => counted
  const { figures, manifest } = preview
  return (counted) => calibratedTokens(counted, figures.total, manifest.used)
}

export function sizedFile(row: FileRow, sized: (counted: number) => number): FileRow {
  const { state } = row
  if (state.type !== 'ready' || !('tokens' in state.reading) || state.reading.tokens === undefined) return row
  return { ...row, state: { ...state, reading: { ...state.reading, tokens: sized(state.reading.tokens) } } }
}
