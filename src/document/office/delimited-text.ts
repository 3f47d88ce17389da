import { sheetText } from './sheet-text.ts'
import { ReadingFault, type ReadingLimits } from '../reading-limits.ts'

/** A CSV or TSV file as a spreadsheet of one sheet, which is called as the file is (BEHAVIOURS §3.5). */
export function delimitedText(
  text: string,
  { name, mediaType, limits }: { readonly name: string; readonly mediaType: string; readonly limits: ReadingLimits },
): { readonly text: string; readonly sheets: readonly string[] } {
  const sheet = sheetName(name)
  const written = sheetText(sheet, limits.characters)
  const delimiter = mediaType === 'text/tab-separated-values' ? '\t' : detectDelimiter(text)
  let number = 0
  eachDelimitedRow(text.replace(/^sep=[,;\t|]\n/i, ''), delimiter, (cells) => {
    number += 1
    const shown = cells.map((cell) => cell.replaceAll(/\s+/g, ' ').trim())
    if (shown.some((cell) => cell !== '')) written.row(number, shown)
  })
  const { text: content, rows } = written.end()
  if (rows === 0) throw new ReadingFault('empty', 'all cells of the file are empty')
  return { text: content, sheets: [sheet] }
}

function sheetName(file: string): string {
  const plain = file
    .replace(/\.[^.]*$/, '')
    .replaceAll(/\s+/g, ' ')
    .trim()
    .toWellFormed()
  return plain === '' ? 'Sheet' : plain.slice(0, 100).toWellFormed()
}

type Delimiter = ',' | ';' | '\t' | '|'

/**
 * Calls back for each row of a text whose cells are divided by a delimiter (RFC 4180): a cell in quotes may contain delimiters, line
 * ends and doubled quotes. A quote that is never closed is a character like others. Every character is looked at once, and
 * once more behind such a quote.
 */
function eachDelimitedRow(text: string, delimiter: Delimiter, tell: (cells: readonly string[]) => void): void {
  const unclosed = text.lastIndexOf('"')
  let at = 0
  while (at < text.length) {
    const cells: string[] = []
    for (;;) {
      const quoted = text[at] === '"' ? closingQuote(text, at, unclosed, delimiter) : undefined
      if (quoted === undefined) {
        const end = plainEnd(text, at, delimiter)
        cells.push(text.slice(at, end))
        at = end
      } else {
        cells.push(text.slice(at + 1, quoted).replaceAll('""', '"'))
        at = quoted + 1
      }
      if (text[at] !== delimiter) break
      at += 1
    }
    tell(cells)
    at += 1
  }
}

/** The position of the quote that closes a cell; `undefined` where none is followed by the end of a cell. */
function closingQuote(text: string, start: number, last: number, delimiter: string): number | undefined {
  let at = start + 1
  while (at <= last) {
    at = text.indexOf('"', at)
    const next = text[at + 1]
    if (next === undefined || next === delimiter || next === '\n') return at
    if (next !== '"') return undefined
    at += 2
  }
  return undefined
}

function plainEnd(text: string, start: number, delimiter: string): number {
  let at = start
  while (at < text.length && text[at] !== delimiter && text[at] !== '\n') at += 1
  return at
}

/** The delimiter of a text: the one its first line declares with `sep=`, or the most frequent one in its first lines. */
function detectDelimiter(text: string): Delimiter {
  const head = text.slice(0, 10_000)
  const said = /^sep=([,;\t|])\n/i.exec(head)?.[1]
  if (said !== undefined) return said as Delimiter
  const outside = head.replaceAll(/"(?:[^"]|"")*"/g, '').split('\n', 20)
  const counts = delimiters.map((delimiter) => [delimiter, shared(outside, delimiter)] as const)
  return counts.reduce((best, one) => (one[1] > best[1] ? one : best))[0]
}

const delimiters: readonly Delimiter[] = [',', ';', '\t', '|']

/** The least number of its occurrences in a line, or their total where some lines lack it. */
function shared(lines: readonly string[], delimiter: string): number {
  const counts = lines.filter((line) => line.trim() !== '').map((line) => line.split(delimiter).length - 1)
  const total = counts.reduce((sum, count) => sum + count, 0)
  return Math.min(...counts) * 1_000 * counts.length + total
}
