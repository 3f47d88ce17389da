import type { SqliteConnection } from '../../platform.ts'
import type { PassageNeighbour, RankedPassage, RecallToolCall, RecallQuery } from '../recall.ts'
import { PER_SESSION } from './tables.ts'
import type { QuestionWord } from './question.ts'
import type { PassageCandidate } from './rank.ts'

const DEFAULT_LIMIT = 10
const NEIGHBOUR_CHARACTERS = 160
/** A passage of this many characters counts half: it contains more words by chance. */
const HALVING = 4_000
/** Share of the best score that a passage needs to be among the newest. */
const ENOUGH = 0.5

/** Reads the passages of the best candidates, in the order that the query asks for. */
export function readPassages(
  connection: SqliteConnection,
  candidates: readonly PassageCandidate[],
  query: RecallQuery,
  words: readonly QuestionWord[],
): readonly Omit<RankedPassage, 'hits'>[] {
  const { limit = DEFAULT_LIMIT, kinds, exceptTurns = [], order = 'relevance' } = query
  const rows = new Map(
    readRows(
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
    // Of passages with the same text the newest is kept, and of one call the best passage.
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
    ...passageFields(row),
    matched: [
      ...new Set(words.filter((word, index) => !word.part && mask & (1 << index)).map(({ written }) => written)),
    ],
    score,
    ...readNeighbours(connection, row, exceptTurns),
  }))
}

interface PassageRow extends Pick<
  RankedPassage,
  'session' | 'turn' | 'ordinal' | 'seq' | 'time' | 'kind' | 'role' | 'start' | 'length' | 'text'
> {
  readonly number: number
  readonly call: string | null
}

function readRows(connection: SqliteConnection, numbers: readonly number[]): readonly PassageRow[] {
  return connection.all<PassageRow>(
    `select p.*, s.id as session from passages p join sessions s on s.number = p.number / ${PER_SESSION}
     where p.number in (select value from json_each(?)) and s.leaving = 0 order by p.number`,
    JSON.stringify(numbers),
  )
}

function passageFields({ session, turn, ordinal, seq, time, kind, role, start, length, text, call }: PassageRow) {
  const fields = { session, turn, ordinal, seq, time, kind, role, text, start, end: start + text.length, length }
  return call === null ? fields : { ...fields, call: JSON.parse(call) as RecallToolCall }
}

function readNeighbours(
  connection: SqliteConnection,
  { number, session }: PassageRow,
  exceptTurns: readonly string[],
): { readonly before?: PassageNeighbour; readonly after?: PassageNeighbour } {
  const beside = connection.get<{ readonly before: number | null; readonly after: number | null }>(
    `select (select max(number) from passages where number < ?1) as before,
       (select min(number) from passages where number > ?1) as after`,
    number,
  )!
  const rows = readRows(
    connection,
    [beside.before, beside.after].filter((each) => each !== null),
  ).filter((row) => row.session === session && !exceptTurns.includes(row.turn))
  const [before, after] = [rows.find((row) => row.number < number), rows.find((row) => row.number > number)]
  return { ...(before && { before: neighbour(before, -1) }), ...(after && { after: neighbour(after, 1) }) }
}

/** The end of the passage before, or the beginning of the one after. */
function neighbour({ ordinal, role, text }: PassageRow, side: 1 | -1): PassageNeighbour {
  const line = text.replaceAll(/\s+/g, ' ').trim()
  if (line.length <= NEIGHBOUR_CHARACTERS) return { ordinal, role, text: line }
  const part = side === 1 ? `${line.slice(0, NEIGHBOUR_CHARACTERS)}…` : `…${line.slice(-NEIGHBOUR_CHARACTERS)}`
  return { ordinal, role, text: part.toWellFormed() }
}
