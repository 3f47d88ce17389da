import { wordsOf } from '../words.ts'
import type { Connection } from './connection.ts'
import { PER_DOCUMENT } from './numbering.ts'
import type { Sight } from './sight.ts'

/** A chunk in one list of candidates, best first. `value` is what the list measured: higher is better. */
export interface Candidate {
  readonly number: number
  readonly value: number
}

/** Weight of a word in the title, in the headings above a chunk, and in its text. */
const WEIGHTS = '3.0, 2.0, 1.0'
/** Of a question, what is looked for: who pastes a page means its beginning. */
const MOST_WORDS = 64
const LONGEST_QUERY = 10_000
/** Rows that are measured for one question, about: some 1 µs each. */
const MOST_ROWS = 10_000
/** So many words are looked for unless one of them alone is too frequent. */
const LEAST_WORDS = 2

const candidates = `
  select rowid as number, -bm25(words, ${WEIGHTS}) as value from words
  where words match ? and rowid / ${PER_DOCUMENT} in (select value from json_each(?))
  order by value desc, rowid`

/**
 * Chunks that hold any of the words, best first by BM25. An iterator: the best come first, and the rest may stay. Where
 * many chunks are in sight, the most frequent words are left out of a question: they say the least and take the longest.
 */
export function candidatesByWords(connection: Connection, text: string, { json, chunks }: Sight): Iterable<Candidate> {
  const words = tellingWords(connection, queryWords(text), chunks)
  if (words.length === 0) return []
  return connection.each<Candidate>(candidates, anyOf(words), json)
}

/** The different words of a question. */
function queryWords(text: string): readonly string[] {
  return [...new Set(wordsOf(text.slice(0, LONGEST_QUERY).toWellFormed()))].slice(0, MOST_WORDS)
}

/** Each word is quoted: nothing of a question is ever an operator. */
function anyOf(words: readonly string[]): string {
  return words.map((word) => `"${word.replaceAll('"', '""')}"`).join(' OR ')
}

/** The rarest words, as many as can be measured. */
function tellingWords(connection: Connection, words: readonly string[], chunks: number): readonly string[] {
  if (words.length * chunks <= MOST_ROWS) return words
  let rows = 0
  return words
    .map((word) => ({ word, rows: Math.min(chunks, rowsOf(connection, word)) }))
    .toSorted((a, b) => a.rows - b.rows)
    .filter((one, index) => {
      rows += one.rows
      return index === 0 || rows <= MOST_ROWS || (index < LEAST_WORDS && one.rows <= MOST_ROWS)
    })
    .map((one) => one.word)
}

/** In how many chunks a word stands, counted no further than it matters. */
function rowsOf(connection: Connection, word: string): number {
  return connection.get<{ readonly rows: number }>(
    `select count(*) as rows from (select 1 from words where words match ? limit ${MOST_ROWS + 1})`,
    anyOf([word]),
  )!.rows
}
