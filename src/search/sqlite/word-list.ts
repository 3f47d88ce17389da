import { wordsOf } from '../words.ts'
import type { Connection } from './connection.ts'
import { jsonOf, type Visible, visibleDocuments } from './document-table.ts'

/** A chunk in one list of candidates, best first. `value` is what the list measured: higher is better. */
export interface Candidate {
  readonly number: number
  readonly value: number
}

/** Weight of a word in the title, in the headings above a chunk, and in its text. */
const WEIGHTS = '3.0, 1.0, 1.0'
/** Of a question, what is looked for: who pastes a page means its first words as well as its last. */
const MOST_WORDS = 64
const LONGEST_QUERY = 10_000

const candidates = `
  select rowid as number, -bm25(words, ${WEIGHTS}) as value from words
  where words match ?3 and rowid / 1048576 in (${visibleDocuments})
  order by value desc, rowid`

/** Chunks that hold any of the words, best first by BM25. An iterator: the best come first, and the rest may stay. */
export function candidatesByWords(connection: Connection, text: string, visible: Visible): Iterable<Candidate> {
  const match = matchOf(text)
  if (match === undefined) return []
  return connection.each<Candidate>(candidates, jsonOf(visible.collections), jsonOf(visible.documents), match)
}

/** Any of the words, each quoted: nothing of a text is ever an operator. `undefined` where there is no word in it. */
export function matchOf(text: string): string | undefined {
  const words = new Set(wordsOf(text.slice(0, LONGEST_QUERY).toWellFormed()))
  if (words.size === 0) return undefined
  return [...words]
    .slice(0, MOST_WORDS)
    .map((word) => `"${word.replaceAll('"', '""')}"`)
    .join(' OR ')
}
