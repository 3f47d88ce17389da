import { numbersOf } from './citation/marker.ts'
import type { CitationPiece } from './citation/piece.ts'

/**
 * The answer in markdown, with every number that has a web address as a link: `[1]` becomes `[[1]](https://…)`, and `[1, 2]`
 * one link behind the other. A number without one, or that stands for nothing, keeps its brackets; a marker without any
 * address stays as the model wrote it. Only `http` and `https` become links.
 */
export function withLinks(
  pieces: readonly CitationPiece[],
  sourceOf: (number: number) => { readonly url?: string } | undefined,
): string {
  const linked = (number: number) => {
    const url = sourceOf(number)?.url
    return url !== undefined && /^https?:\/\//i.test(url) ? `[[${number}]](${escaped(url)})` : undefined
  }
  return pieces.map((piece) => (piece.type === 'text' ? piece.text : markerWithLinks(piece, linked))).join('')
}

function markerWithLinks(
  { numbers, text }: Extract<CitationPiece, { readonly type: 'citation' }>,
  linked: (number: number) => string | undefined,
): string {
  const links = new Map(numbers.map((number) => [number, linked(number)]))
  if ([...links.values()].every((link) => link === undefined)) return text
  return numbersOf(text)
    .map(({ number, written }) => links.get(number) ?? `[${written}]`)
    .join('')
}

/** What would end a link in markdown, as a URL writes it. */
function escaped(url: string): string {
  return url.replace(/[\s()<>\\[\]"`]/g, (char) =>
    char === '(' ? '%28' : char === ')' ? '%29' : encodeURIComponent(char),
  )
}
