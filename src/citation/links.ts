import { markerNumbers } from './marker-reader.ts'
import type { CitationPiece } from './piece.ts'

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
    return isWebAddress(url) ? `[[${number}]](${escaped(url)})` : undefined
  }
  return pieces.map((piece) => (piece.type === 'text' ? piece.text : markerWithLinks(piece, linked))).join('')
}

/** Other schemes are no links for a page to offer. */
export function isWebAddress(url: string | undefined): url is string {
  return url !== undefined && /^https?:\/\//i.test(url)
}

function markerWithLinks(
  { numbers, text }: Extract<CitationPiece, { readonly type: 'citation' }>,
  linked: (number: number) => string | undefined,
): string {
  const links = new Map(numbers.map((number) => [number, linked(number)]))
  if ([...links.values()].every((link) => link === undefined)) return text
  return markerNumbers(text)
    .map(({ number, written }) => links.get(number) ?? `[${written}]`)
    .join('')
}

/** What would end a link in markdown, as a URL writes it. */
function escaped(url: string): string {
  return url.replace(/[\s()<>\\[\]"`]/g, (char) =>
    char === '(' ? '%28' : char === ')' ? '%29' : encodeURIComponent(char),
  )
}
