import type { Connection } from './connection.ts'
import { numberOf } from './numbering.ts'

/** A stretch of a document's text, as it is kept. */
export interface Piece {
  readonly ordinal: number
  readonly start: number
  readonly text: string
}

/** Characters of a piece: a chunk is read from one or two of them, however long its document is. */
const PIECE = 4_096

/** A well-formed text in pieces that tear no character in two. Their ordinals tell where to look. */
export function* piecesOf(text: string): Generator<Piece> {
  let start = 0
  for (let ordinal = 0; start < text.length; ordinal += 1) {
    let end = Math.min((ordinal + 1) * PIECE, text.length)
    if (tears(text, end)) end += 1
    yield { ordinal, start, text: text.slice(start, end) }
    start = end
  }
}

export function writePiece(connection: Connection, document: number, piece: Piece): void {
  connection.run(
    'insert into pieces (number, start, text) values (?, ?, ?)',
    numberOf(document, piece.ordinal),
    piece.start,
    piece.text,
  )
}

/** `text.slice(start, end)` of the document's text. */
export function readText(connection: Connection, document: number, start: number, end: number): string {
  if (end <= start) return ''
  const pieces = connection.all<{ readonly start: number; readonly text: string }>(
    'select start, text from pieces where number between ? and ? order by number',
    // A piece may begin one character later than its ordinal says.
    numberOf(document, Math.max(0, Math.floor((start - 1) / PIECE))),
    numberOf(document, Math.floor((end - 1) / PIECE)),
  )
  const first = pieces[0]?.start ?? 0
  return pieces
    .map((piece) => piece.text)
    .join('')
    .slice(start - first, end - first)
}

function tears(text: string, at: number): boolean {
  const code = text.charCodeAt(at)
  return code >= 0xdc00 && code <= 0xdfff
}
