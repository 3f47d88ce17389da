/** A part of an answer: text, or a marker that cites sources. All texts joined are the answer as the model wrote it. */
export type CitationPiece =
  | { readonly type: 'text'; readonly text: string }
  | {
      readonly type: 'citation'
      /** The numbers of the marker that have a source, in its order, each once; at least one. */
      readonly numbers: readonly number[]
      /** The marker as the model wrote it, including numbers without a source. */
      readonly text: string
    }

/** The same pieces, with texts that follow each other as one. */
export function joinTexts(pieces: readonly CitationPiece[]): readonly CitationPiece[] {
  const joined: CitationPiece[] = []
  let text = ''
  for (const piece of pieces) {
    if (piece.type === 'text') text += piece.text
    else {
      if (text !== '') joined.push({ type: 'text', text })
      joined.push(piece)
      text = ''
    }
  }
  if (text !== '') joined.push({ type: 'text', text })
  return joined
}

/** Every number that is cited, in the order in which each comes first. */
export function citedNumbers(pieces: readonly CitationPiece[]): readonly number[] {
  return [...new Set(pieces.flatMap((piece) => (piece.type === 'citation' ? piece.numbers : [])))]
}

/** Whether an address is one of the web. Other schemes are no links for a page to offer. */
export function isWebAddress(url: string | undefined): url is string {
  return url !== undefined && /^https?:\/\//i.test(url)
}
