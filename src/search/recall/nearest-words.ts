import { editSteps } from '../../platform.ts'
import type { Connection } from '../sqlite/connection.ts'
import type { QuestionWord } from './question.ts'
import { anyOf, countOf, type Scope } from './scope.ts'
import { vocabularyTable } from './tables.ts'

/** Words of a shard that are looked at for one word of a question. */
const MOST_LOOKED_AT = 5_000
const MOST_NEAREST = 5
/** Letters of a word at least: a shorter one is as near to too many others. Where other words were found, one more. */
const SHORTEST = 4

/**
 * Stems of passages within a scope that are spelled most nearly like a word that none of them holds: one or two letters
 * differ, or one begins with the other. `alone`: no other word of the question was found either. Otherwise a single letter
 * may differ: most words that are not there were only said in another way.
 */
export function nearestStems(
  connection: Connection,
  scope: Scope,
  word: QuestionWord,
  alone: boolean,
): readonly string[] {
  const found = new Map<string, number>()
  for (const stem of new Set(word.stems.map(folded))) {
    for (const term of termsBeside(connection, scope, stem)) {
      const distance = distanceOf(stem, term, alone)
      if (distance !== undefined) found.set(term, Math.min(distance, found.get(term) ?? distance))
    }
  }
  return [...found]
    .toSorted((a, b) => a[1] - b[1] || (a[0] < b[0] ? -1 : 1))
    .map(([term]) => term)
    .filter((term) => countOf(connection, scope, anyOf([term]), 1) > 0)
    .slice(0, MOST_NEAREST)
}

/** As the index writes it. */
function folded(stem: string): string {
  return stem
    .normalize('NFD')
    .replaceAll(/\p{Mn}/gu, '')
    .normalize('NFC')
}

/** Terms that begin as a stem does. */
function termsBeside(connection: Connection, { shards }: Scope, stem: string): readonly string[] {
  const start = Array.from(stem).slice(0, 2).join('')
  return shards.flatMap((shard) =>
    connection
      .all<{ readonly term: string }>(
        `select term from ${vocabularyTable(shard)} where term >= ? and term < ? limit ?`,
        start,
        `${start}\u{10FFFF}`,
        MOST_LOOKED_AT,
      )
      .map(({ term }) => term),
  )
}

/** How far two words are from each other; `undefined` where they are others altogether. */
function distanceOf(one: string, other: string, alone: boolean): number | undefined {
  const [short, long] = one.length < other.length ? [one, other] : [other, one]
  if (short.length < (alone ? SHORTEST : SHORTEST + 1)) return undefined
  if (alone && long.startsWith(short)) return 1
  const most = alone && one.length >= 6 ? 2 : 1
  if (long.length - short.length > most) return undefined
  const distance = editSteps(one, other)
  return distance <= most ? distance : undefined
}
