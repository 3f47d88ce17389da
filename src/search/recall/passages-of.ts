import type { PassageNeighbour, RankedPassage, RecalledCall, RecallQuery } from '../recall.ts'
import type { Connection } from '../sqlite/connection.ts'
import { PER_SESSION } from './numbering.ts'
import type { QuestionWord } from './question.ts'
import type { Candidate } from './rank.ts'

const DEFAULT_LIMIT = 10
const NEIGHBOUR_CHARACTERS = 160
/** A passage of so many characters counts half: it holds more words by chance, and is less about each. */
const HALVING = 4_000
/** Of the best score, what a passage needs to be among the newest. */
const ENOUGH = 0.5

/** The passages of the best candidates that are an answer, in the order that the question asks for. */
export function passagesOf(
  connection: Connection,
  candidates: readonly Candidate[],
  query: RecallQuery,
  words: readonly QuestionWord[],
): readonly RankedPassage[] {
  const { limit = DEFAULT_LIMIT, kinds, exceptTurns = [], order = 'relevance' } = query
  const rows = new Map(
    rowsOf(
      connection,
      candidates.map(({ number }) => number),
    ).map((row) => [row.number, row]),
  )
  const seen = new Set<string>()
  const isFirst = (name: string) => !seen.has(name) && seen.add(name) !== undefined
  const found = candidates
    .flatMap((candidate) => {
      const row = rows.get(candidate.number)
      return row ? [{ row, words: candidate.words, score: candidate.score / (1 + row.text.length / HALVING) }] : []
    })
    .filter(({ row }) => (!kinds || kinds.includes(row.kind)) && !exceptTurns.includes(row.turn))
    .toSorted((a, b) => b.score - a.score || b.row.number - a.row.number)
    // What was said in the same words several times is said once, the newest, and a call has one passage: the best.
    .filter(
      ({ row }) => isFirst(row.text) && (row.kind === 'message' || isFirst(`${row.session} ${row.seq} ${row.call}`)),
    )
  const enough = (found[0]?.score ?? 0) * ENOUGH
  const chosen =
    order === 'relevance'
      ? found
      : found
          .filter(({ score }) => score >= enough)
          .toSorted((a, b) =>
            a.row.time < b.row.time ? 1 : a.row.time > b.row.time ? -1 : b.row.number - a.row.number,
          )
  return chosen.slice(0, limit).map(({ row, score, words: mask }) => ({
    ...passageOf(row),
    matched: [
      ...new Set(words.filter((word, index) => !word.part && mask & (1 << index)).map(({ written }) => written)),
    ],
    score,
    ...neighboursOf(connection, row.number, exceptTurns),
  }))
}

interface PassageRow {
  readonly number: number
  readonly session: string
  readonly turn: string
  readonly ordinal: number
  readonly seq: number
  readonly time: string
  readonly kind: RankedPassage['kind']
  readonly role: RankedPassage['role']
  readonly start: number
  readonly length: number
  readonly text: string
  readonly call: string | null
}

function rowsOf(connection: Connection, numbers: readonly number[]): readonly PassageRow[] {
  return connection.all<PassageRow>(
    `select p.*, s.id as session from passages p join sessions s on s.number = p.number / ${PER_SESSION}
     where p.number in (select value from json_each(?)) and s.leaving = 0 order by p.number`,
    JSON.stringify(numbers),
  )
}

function passageOf({ session, turn, ordinal, seq, time, kind, role, start, length, text, call }: PassageRow) {
  const place = { session, turn, ordinal, seq, time, kind, role, text, start, end: start + text.length, length }
  return call === null ? place : { ...place, call: JSON.parse(call) as RecalledCall }
}

function neighboursOf(
  connection: Connection,
  number: number,
  exceptTurns: readonly string[],
): { readonly before?: PassageNeighbour; readonly after?: PassageNeighbour } {
  const rows = rowsOf(connection, [number - 1, number + 1]).filter(({ turn }) => !exceptTurns.includes(turn))
  const [before, after] = [rows.find((row) => row.number < number), rows.find((row) => row.number > number)]
  return { ...(before && { before: neighbour(before, -1) }), ...(after && { after: neighbour(after, 1) }) }
}

/** Of the passage before its end, of the one after it its beginning. */
function neighbour({ ordinal, role, text }: PassageRow, side: 1 | -1): PassageNeighbour {
  const line = text.replaceAll(/\s+/g, ' ').trim()
  if (line.length <= NEIGHBOUR_CHARACTERS) return { ordinal, role, text: line }
  const part = side === 1 ? `${line.slice(0, NEIGHBOUR_CHARACTERS)}…` : `…${line.slice(-NEIGHBOUR_CHARACTERS)}`
  return { ordinal, role, text: part.toWellFormed() }
}
