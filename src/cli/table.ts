import type { Io } from '../capability.ts'
import { lineLimit } from './io.ts'
import { cells } from './wrapped-line.ts'

/** Rows as lines with aligned columns, two spaces apart. `right` gives the indexes of right-aligned columns. */
export function table(rows: readonly (readonly string[])[], right: readonly number[] = []): string {
  const widths: number[] = []
  for (const row of rows) {
    for (const [column, cell] of row.entries()) widths[column] = Math.max(widths[column] ?? 0, cells(cell))
  }
  return rows
    .map((row) =>
      row
        .map((cell, column) => {
          const blanks = ' '.repeat(widths[column]! - cells(cell))
          return right.includes(column) ? blanks + cell : cell + blanks
        })
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

export interface FittedTable {
  readonly right?: readonly number[]
  /** The most terminal cells of a line. */
  readonly columns: number
  /** Indexes of the columns to leave out while a line is too long, in this order. */
  readonly spare: readonly number[]
}

/** A table that fits a terminal: leaves out spare columns until its lines fit, then cuts the lines. */
export function fittedTable(rows: readonly (readonly string[])[], options: FittedTable): string {
  const { right = [], columns, spare } = options
  for (let left = 0; ; left++) {
    const gone = spare.slice(0, left)
    const kept = (rows[0] ?? []).map((_, column) => column).filter((column) => !gone.includes(column))
    const text = table(
      rows.map((row) => kept.map((column) => row[column] ?? '')),
      kept.flatMap((column, at) => (right.includes(column) ? [at] : [])),
    )
    const lines = text.split('\n')
    if (left < spare.length && lines.some((line) => cells(line) > columns)) continue
    return lines.map((line) => cutToCells(line, columns)).join('\n')
  }
}

/** A table of at least one row, whose keys are the heads of the columns. It leaves out `spare` columns until it fits. */
export function rowTable<Row extends Readonly<Record<string, string>>>(
  rows: readonly Row[],
  io: Io,
  { right = [], spare = [] }: { readonly right?: readonly (keyof Row)[]; readonly spare?: readonly (keyof Row)[] } = {},
): string {
  const head = Object.keys(rows[0]!)
  const indexes = (names: readonly (keyof Row)[]) => names.map((name) => head.indexOf(String(name)))
  const lines = rows.map((row) => Object.values(row))
  return fittedTable([head, ...lines], { right: indexes(right), columns: lineLimit(io), spare: indexes(spare) })
}

export function cutToCells(text: string, columns: number): string {
  if (cells(text) <= columns) return text
  let kept = ''
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    if (cells(kept + segment) > columns - 1) break
    kept += segment
  }
  return `${kept}…`
}

export function singleLine(text: string, limit: number): string {
  const line = text.replaceAll(/\s+/g, ' ').trim()
  return line.length <= limit ? line : `${line.slice(0, Math.max(0, limit - 1)).toWellFormed()}…`
}
