import { visibleWidth } from '@earendil-works/pi-tui'
import { lookAtEnd } from './transcript.ts'

/**
 * A line in rows, as a terminal wraps it: by cells, not by words. Made for a line that grows: what was wrapped before is not
 * wrapped again.
 */
export function wrappedRows(): (line: string, columns: number) => readonly string[] {
  let known = { line: '', columns: 0, rows: [] as readonly string[], lastBegins: 0 }

  return (line, columns) => {
    const goesOn = known.columns === columns && known.rows.length > 0 && line.startsWith(known.line)
    const rows = goesOn ? known.rows.slice(0, -1) : []
    let begins = goesOn ? known.lastBegins : 0
    let look = rows.length > 0 ? lookAtEnd(rows.at(-1)!) : ''
    let row = look
    let cells = 0
    let at = begins
    for (const piece of piecesOf(line.slice(begins))) {
      const width = visibleWidth(piece)
      if (cells + width > columns && cells > 0) {
        rows.push(row)
        look = lookAtEnd(row)
        row = look
        cells = 0
        begins = at
      }
      row += piece
      cells += width
      at += piece.length
    }
    if (row !== look) rows.push(row)
    known = { line, columns, rows, lastBegins: begins }
    return rows
  }
}

const graphemes = new Intl.Segmenter()

/** Characters as a person sees them, and the sequences that set looks. */
function* piecesOf(text: string): Generator<string> {
  // oxlint-disable-next-line no-control-regex -- sequences that set looks
  for (const part of text.split(/(\u001B\[\d*m)/)) {
    if (part.startsWith('\u001B')) yield part
    else for (const { segment } of graphemes.segment(part)) yield segment
  }
}
