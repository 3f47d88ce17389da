import type { CellReader } from './cell-text.ts'
import { attributeOf, scanXml } from './xml-scan.ts'

/** As many columns as a sheet can have. */
const mostColumns = 16_384

/** Tells each row that holds something, with its number from 1 and its cells from the first column to the last one used. */
export function eachRow(xml: string, read: CellReader, tell: (row: number, cells: readonly string[]) => void): void {
  let row = 0
  let cells: string[] = []
  let cell = { column: -1, type: '', style: 0, value: '' }
  let inValue = false
  scanXml(xml, {
    open(name, attributes) {
      if (name === 'row') {
        row = Number(attributeOf(attributes, 'r') ?? row + 1)
        cells = []
        cell.column = -1
      } else if (name === 'c') {
        const column = columnOf(attributeOf(attributes, 'r')) ?? cell.column + 1
        const style = Number(attributeOf(attributes, 's') ?? 0)
        cell = { column, type: attributeOf(attributes, 't') ?? 'n', style, value: '' }
      }
      // Cells hold a value `v`, or a text `is` with runs `t`; a formula `f` is not what the sheet shows.
      inValue = name === 'v' || name === 't'
    },
    close(name) {
      inValue = false
      if (name === 'c' && cell.column < mostColumns) put(cells, cell.column, read(cell.type, cell.style, cell.value))
      if (name === 'row' && cells.length > 0) tell(row, cells)
    },
    text: (text) => void (inValue && (cell.value += text)),
  })
}

function put(cells: string[], column: number, text: string): void {
  if (text === '') return
  while (cells.length < column) cells.push('')
  cells[column] = text
}

/** `B7` is column 1, counted from 0. */
function columnOf(address: string | undefined): number | undefined {
  const letters = /^[A-Z]{1,3}/.exec(address ?? '')?.[0]
  if (letters === undefined) return undefined
  let column = 0
  for (let at = 0; at < letters.length; at += 1) column = column * 26 + letters.charCodeAt(at) - 64
  return column - 1
}
