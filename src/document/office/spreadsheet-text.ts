import { ReadingFault } from '../reading-fault.ts'
import { grouped, type ReadingLimits } from '../reading-limits.ts'
import { cleanText } from '../text/clean-text.ts'
import { type CellReader, cellReader } from './cell-text.ts'
import { eachRow } from './sheet-rows.ts'
import { openArchive } from './zip-archive.ts'
import { type Sheet, workbook } from './workbook.ts'

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
    const part = sheetText(sheet, archive.textOf(sheet.part) ?? '', read, room)
    written.push(part.text)
    room -= part.text.length + 2
    rows += part.rows
  }
  if (rows === 0) throw new ReadingFault('empty', 'the spreadsheet holds no cells with anything in them')
  return { text: written.join('\n\n'), sheets: sheets.map(({ name }) => name) }
}

/** A sheet with its name above; at most `room` characters and a line that says how much is missing. */
function sheetText(
  { name }: Sheet,
  xml: string,
  read: CellReader,
  room: number,
): { readonly text: string; readonly rows: number } {
  const lines = [`# ${name}`, '']
  const noteRoom = 100
  let left = room - name.length - noteRoom
  let rows = 0
  let missing = 0
  let last = 0
  eachRow(xml, read, (number, cells) => {
    rows += 1
    const line = cleanText(cells.join('\t')).trimEnd()
    left -= line.length + 2
    if (left < 0) return void (missing += 1)
    // A gap in the numbers is a gap in the sheet; one blank line is enough to show it.
    if (last > 0 && number > last + 1) lines.push('')
    lines.push(line)
    last = number
  })
  if (missing > 0) lines.push('', `(${grouped(missing)} more rows of this sheet are left out)`)
  return { text: lines.join('\n').trimEnd(), rows }
}
