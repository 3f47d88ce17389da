import { sheetText } from '../office/sheet-text.ts'
import { ReadingFault } from '../reading-fault.ts'
import type { ReadingLimits } from '../reading-limits.ts'
import { delimiterOf, eachDelimitedRow } from './delimited-rows.ts'

/** A CSV or TSV file as a spreadsheet of one sheet, which is called as the file is (BEHAVIOURS §3.5). */
export function delimitedText(
  text: string,
  { name, mediaType, limits }: { readonly name: string; readonly mediaType: string; readonly limits: ReadingLimits },
): { readonly text: string; readonly sheets: readonly string[] } {
  const sheet = sheetName(name)
  const written = sheetText(sheet, limits.characters)
  const delimiter = mediaType === 'text/tab-separated-values' ? '\t' : delimiterOf(text)
  let number = 0
  eachDelimitedRow(text.replace(/^sep=[,;\t|]\n/i, ''), delimiter, (cells) => {
    number += 1
    const shown = cells.map((cell) => cell.replaceAll(/\s+/g, ' ').trim())
    if (shown.some((cell) => cell !== '')) written.row(number, shown)
  })
  const { text: said, rows } = written.end()
  if (rows === 0) throw new ReadingFault('empty', 'the file holds no cells with anything in them')
  return { text: said, sheets: [sheet] }
}

function sheetName(file: string): string {
  const plain = file
    .replace(/\.[^.]*$/, '')
    .replaceAll(/\s+/g, ' ')
    .trim()
    .toWellFormed()
  return plain === '' ? 'Sheet' : plain.slice(0, 100).toWellFormed()
}
