import type { Manifest, ManifestEntry } from '../context.ts'
import { bar } from './bar.ts'
import { exactLine } from './exact-text.ts'
import { lineLimit } from './io.ts'
import type { Io } from '../capability.ts'
import { styled } from './style.ts'
import { oneLine, table } from './table.ts'

/** Columns of a terminal that all columns of the table need; on a narrower one the reason has a line of its own. */
const WIDE = 80
const WIDEST_BAR = 60
/** Characters of an id that are shown at least. */
const LEAST_ID = 8

/**
 * What a request holds, for people: how full its window is, as a bar too, and a line for each candidate. What was left out is
 * dimmed and what gave way stands out. A pipe gets every character; on a terminal no line is wider than that.
 */
export function outlineText(manifest: Manifest, io: Io): string {
  const { budget, used, entries } = manifest
  const { window, reserve, margin, available } = budget
  const columns = lineLimit(io)
  const free = Math.max(0, available - used)
  const kept = [`${reserve} for the answer`, ...(margin > 0 ? [`${margin} margin`] : [])]
  const shares = { used, reserved: reserve + margin, whole: window }
  const facts = [`${used} of ${available} tokens used,`, `${free} free;`, `window ${window}:`, kept.join(', ')]
  return [
    ...wrapped(facts, columns),
    bar(shares, Math.min(columns, WIDEST_BAR), io),
    ...lines(entries, columns, io),
  ].join('\n')
}

function lines(entries: readonly ManifestEntry[], columns: number, io: Io): readonly string[] {
  const isNarrow = columns < WIDE
  const cellsOf = isNarrow ? narrowCells : wideCells
  const head = isNarrow
    ? ['slot', 'id', 'tokens', 'outcome']
    : ['slot', 'id', 'form', 'tokens', 'full', 'outcome', 'why']
  const right = isNarrow ? [2] : [3, 4]
  const rows = [head, ...entries.map(cellsOf)]
  const room = Math.max(LEAST_ID, columns - widthBesideId(rows))
  const [heading, ...shown] = table(
    rows.map((row) => row.map((cell, column) => (column === 1 ? oneLine(cell, room) : cell))),
    right,
  ).split('\n')
  return [
    styled(io, 'bold', heading!),
    ...shown.flatMap((line, index) => {
      const { outcome, reason } = entries[index]!
      const why = isNarrow && reason !== undefined ? [`  why: ${reason.code}`] : []
      if (outcome === 'omitted') return [line, ...why].map((each) => styled(io, 'dim', each))
      return [outcome === 'reduced' ? styled(io, 'yellow', line) : line, ...why]
    }),
  ]
}

function wideCells({ slot, id, form, tokens, fullTokens, outcome, reason }: ManifestEntry): readonly string[] {
  return [slot, exactLine(id), form ?? '-', String(tokens), String(fullTokens), outcome, reason?.code ?? '']
}

function narrowCells({ slot, id, tokens, outcome }: ManifestEntry): readonly string[] {
  return [slot, exactLine(id), String(tokens), outcome]
}

/** Columns that the other columns take, with the two blanks before each. */
function widthBesideId(rows: readonly (readonly string[])[]): number {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)))
  return widths.reduce((sum, cells, column) => sum + (column === 1 ? 0 : cells) + (column === 0 ? 0 : 2), 0)
}

/** Pieces of a sentence, as many in a line as it has room for. */
function wrapped(pieces: readonly string[], columns: number): readonly string[] {
  const text: string[] = ['']
  for (const piece of pieces) {
    const joined = text.at(-1) === '' ? piece : `${text.at(-1)} ${piece}`
    if (joined.length <= columns || text.at(-1) === '') text[text.length - 1] = joined
    else text.push(piece)
  }
  return text
}
