import { exactLine } from '../exact-text.ts'

/** A piece of a passage in one line; `hit` where it is one of the words that were looked for. */
export interface SnippetPiece {
  readonly word: string
  readonly hit: boolean
}

/** The part of a passage around the first word that was looked for, of at most `limit` characters, in one line. */
export function snippet(passage: string, query: string, limit: number): readonly SnippetPiece[] {
  const wanted = new Set(wordsOf(query).map(({ word }) => folded(word)))
  const text = passage.replaceAll(/\s+/g, ' ').trim()
  const hits = wordsOf(text).filter(({ word }) => wanted.has(folded(word)))
  const first = hits[0]?.at ?? 0
  const start = first < limit / 2 ? 0 : text.indexOf(' ', first - Math.floor(limit / 3)) + 1
  const end = Math.min(text.length, start + limit)
  const pieces: SnippetPiece[] = [{ word: start > 0 ? '… ' : '', hit: false }]
  let at = start
  for (const { at: from, word } of hits) {
    if (from < at || from + word.length > end) continue
    pieces.push({ word: exactLine(text.slice(at, from)), hit: false }, { word: exactLine(word), hit: true })
    at = from + word.length
  }
  pieces.push({ word: exactLine(text.slice(at, end)) + (end < text.length ? ' …' : ''), hit: false })
  return pieces.filter(({ word }) => word !== '')
}

const words = new Intl.Segmenter(undefined, { granularity: 'word' })

function wordsOf(text: string): readonly { readonly word: string; readonly at: number }[] {
  return [...words.segment(text)]
    .filter(({ isWordLike }) => isWordLike)
    .map(({ segment, index }) => ({ word: segment, at: index }))
}

function folded(word: string): string {
  return word.normalize('NFKC').toLowerCase()
}
