import { PAGE_CHARS, textPage } from '../../capability/toolkit.ts'

export interface TableQuestion {
  /** Name of a sheet. Default: the first one. */
  readonly sheet?: string
  /** The first row, from 1. */
  readonly row?: number
  /** Number of rows. Default: as many as fit on one page. */
  readonly rows?: number
  /** Letters as in a spreadsheet, or names from the first row. Default: all columns. */
  readonly columns?: readonly string[]
}

export type TablePage = { readonly ok: true; readonly output: string } | { readonly ok: false; readonly error: string }

/**
 * Rows of a spreadsheet below the letters of its columns, each with its number in front and tabs between its cells.
 * `text`: each sheet under its name. Blank rows have no number.
 */
export function tablePage(text: string, sheets: readonly string[], question: TableQuestion): TablePage {
  const { sheet = sheets[0] ?? '', row = 1, rows = mostRows, columns: wanted = [] } = question
  const index = sheets.indexOf(sheet)
  if (index < 0) return { ok: false, error: `there is no sheet ${sheet.slice(0, 100)}; there are ${sheets.join(', ')}` }
  const lines = sheetLines(text, sheets, index)
  const said = `Sheet ${sheet}: ${lines.length} rows`
  if (row > lines.length) return { ok: true, output: `[${said}; there is no row ${row}]` }
  const head = splitCells(lines[0])
  const asked = lines.slice(row - 1, row - 1 + Math.min(rows, mostRows)).map(splitCells)
  const width = [head, ...asked].reduce((most, { length }) => Math.max(most, length), 0)
  const picked = wanted.map((column) => [column, columnAt(column, head, width)] as const)
  const unknown = picked.flatMap(([column, at]) => (at === undefined ? [column.slice(0, 100)] : []))
  if (unknown.length > 0) {
    const known = `there are A to ${letters(Math.max(0, width - 1))}, with ${head.join(', ').slice(0, 1_000)} in the first row`
    return { ok: false, error: `there is no column ${unknown.join(', ')}; ${known}` }
  }
  const columns =
    wanted.length > 0 ? picked.flatMap(([, at]) => at ?? []) : Array.from({ length: width }, (_, at) => at)
  const shown = shownRows(asked, row, columns)
  const next = row + shown.length - 1
  const more = next <= lines.length ? `; go on with row ${next}` : ''
  return { ok: true, output: `${shown.join('\n')}\n[${said}, shown ${row} to ${next - 1}${more}]` }
}

/** The letters of the columns, and as many rows as fit on one page: at least one. */
function shownRows(asked: readonly (readonly string[])[], row: number, columns: readonly number[]): readonly string[] {
  const shown = [['', ...columns.map(letters)].join('\t')]
  let room = PAGE_CHARS
  for (const [index, cells] of asked.entries()) {
    const line = [row + index, ...columns.map((at) => cells[at] ?? '')].join('\t').trimEnd()
    room -= line.length + 1
    if (room < 0 && index > 0) break
    shown.push(textPage(line, 0))
  }
  return shown
}

function sheetLines(text: string, sheets: readonly string[], wanted: number): readonly string[] {
  const found: string[] = []
  let sheet = -1
  let before = ''
  for (const line of text.split('\n')) {
    if (before === '' && sheet + 1 < sheets.length && line === `# ${sheets[sheet + 1]}`) sheet += 1
    else if (line !== '' && sheet === wanted) found.push(line)
    before = line
  }
  return found
}

function splitCells(line: string | undefined): readonly string[] {
  return line === undefined ? [] : line.split('\t')
}

/** More rows than fit on one page. */
const mostRows = PAGE_CHARS / 2

/** A letter goes before a name: the first row is only perhaps a head. */
function columnAt(column: string, head: readonly string[], width: number): number | undefined {
  const wanted = column.trim()
  const named = head.findIndex((cell) => cell.toLowerCase() === wanted.toLowerCase())
  if (!/^[A-Z]{1,3}$/.test(wanted)) return named < 0 ? undefined : named
  let at = 0
  for (const letter of wanted) at = at * 26 + letter.charCodeAt(0) - 64
  if (at <= width) return at - 1
  return named < 0 ? undefined : named
}

/** 0 is `A`, 26 is `AA`. */
function letters(column: number): string {
  const last = String.fromCharCode(65 + (column % 26))
  return column < 26 ? last : letters(Math.floor(column / 26) - 1) + last
}
