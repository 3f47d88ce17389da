import { editDistance, type SqliteConnection } from '../../platform.ts'
import type { QuestionWord } from './question.ts'
import type { Scope } from './scope.ts'
import { vocabularyTable } from './tables.ts'

/** Words of a shard that are compared with one word of a question. */
const MOST_LOOKED_AT = 5_000
const MOST_NEAREST = 5
/** Letters of the shortest word: shorter ones resemble too many others. One more where other words were found. */
const SHORTEST = 4

interface NearestInput {
  readonly connection: SqliteConnection
  readonly scope: Scope
  readonly word: QuestionWord
  readonly alone: boolean
  /** Whether a passage that may be found has this stem. */
  isThere(stem: string): boolean
}

/**
 * Stems in a scope with the most similar spelling to a word that no passage contains: one or two letters differ, or one
 * begins with the other. `alone`: no other word of the question was found. Otherwise only one letter may differ: most
 * missing words were put in other words.
 */
export function nearestStems({ connection, scope, word, alone, isThere }: NearestInput): readonly string[] {
  const found = new Map<string, number>()
  for (const stem of new Set(word.stems.map(folded))) {
    for (const term of termsBeside(connection, scope, stem)) {
      const distance = spellingDistance(stem, term, alone)
      if (distance !== undefined) found.set(term, Math.min(distance, found.get(term) ?? distance))
    }
  }
  return [...found]
    .toSorted((a, b) => a[1] - b[1] || (a[0] < b[0] ? -1 : 1))
    .map(([term]) => term)
    .filter(isThere)
    .slice(0, MOST_NEAREST)
}

/** The stem without diacritics, as the index stores it. */
function folded(stem: string): string {
  return stem
    .normalize('NFD')
    .replaceAll(/\p{Mn}/gu, '')
    .normalize('NFC')
}

/** Terms with the same first two letters. */
function termsBeside(connection: SqliteConnection, { shards }: Scope, stem: string): readonly string[] {
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

/** Edit distance of two words; `undefined` if they are too different.  */
function spellingDistance(one: string, other: string, alone: boolean): number | undefined {
  const [short, long] = one.length < other.length ? [one, other] : [other, one]
  if (short.length < (alone ? SHORTEST : SHORTEST + 1)) return undefined
  if (alone && long.startsWith(short)) return 1
  const most = alone && one.length >= 6 ? 2 : 1
  if (long.length - short.length > most) return undefined
  const distance = editDistance(one, other)
  return distance <= most ? distance : undefined
}
