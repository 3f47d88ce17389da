import { ReadingFault } from '../reading-fault.ts'
import type { ReadingLimits } from '../reading-limits.ts'
import { cellReader } from './cell-text.ts'
import { eachRow } from './sheet-rows.ts'
import { openArchive } from './zip-archive.ts'
import { sheetText } from './sheet-text.ts'
import { workbook } from './workbook.ts'

/** The sheets of an xlsx in their order, tabs between cells. Where the limit is reached, the text says what is left out. */
export function spreadsheetText(
  bytes: Uint8Array,
  limits: ReadingLimits,
): { readonly text: string; readonly sheets: readonly string[] } {
  const archive = openArchive(bytes, limits)
  const { sheets, startsIn1904 } = workbook(archive)
  const read = cellReader(archive, startsIn1904)
  const written: string[] = []
  let room = limits.characters
  let rows = 0
  for (const sheet of sheets) {
    const sheetWriter = sheetText(sheet.name, room)
    eachRow(archive.textOf(sheet.part) ?? '', read, sheetWriter.row)
    const part = sheetWriter.end()
    written.push(part.text)
    room -= part.text.length + 2
    rows += part.rows
  }
  if (rows === 0) throw new ReadingFault('empty', 'the spreadsheet holds no cells with anything in them')
  return { text: written.join('\n\n'), sheets: sheets.map(({ name }) => name) }
}
