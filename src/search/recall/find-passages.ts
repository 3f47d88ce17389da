import { type SqliteConnection, editDistance } from '../../platform.ts'
import type { RecallAnswer, RecallQuery } from '../recall.ts'
import type { QuestionDate } from './dates.ts'
import type { Languages } from './languages.ts'
import { readPassages } from './read-passages.ts'
import { type Phrase, type RecallQuestion, parseQuestion, type QuestionWord } from './question.ts'
import { type PassageCandidate, MOST_WORDS, rankPassages, type WordRows } from './rank.ts'
import { matchAny, countMatches, matchingNumbers, type Scope, readScope, dateSpans } from './scope.ts'
import { detectLanguage, kindMark, tokenize } from './tokens.ts'
import { vocabularyTable } from './tables.ts'

type Found = Omit<RecallAnswer, 'complete'>

const DEFAULT_LIMIT = 10
/** Passages that are ranked for one question: more than the limit, since some are left out later. */
const DEPTH = 200
/** Rows that are read for one question. Words beyond it count only where rarer ones were found. */
const MOST_ROWS = 10_000
/** Weight of a word that only has the same meaning or a similar spelling. */
const LIKENESS_WORTH = 0.5
const nothing: Found = { passages: [], found: 'nothing', missing: [], nearest: [] }

/** Searches the passages within the scope of a query. */
export function findPassages(
  connection: SqliteConnection,
  languages: Languages,
  query: RecallQuery,
  timeZone?: string,
): Found {
  const scope = readScope(connection, query.sessions)
  const question = parseQuestion(
    query.text,
    languages,
    connection.all<{ readonly name: string }>('select name from languages').map(({ name }) => name),
  )
  const missing = [...question.phrases.map(({ written }) => `"${written}"`), ...writtenWords(question.words)]
  if (!scope || (query.limit ?? DEFAULT_LIMIT) < 1) return { ...nothing, missing }
  const search = { connection, languages, scope, query, timeZone }
  const found = findWithin(search, question)
  if (found.passages.length > 0 || question.phrases.length === 0) return found
  // No passage contains the exact phrases: their words are the nearest.
  const words = [...question.words, ...question.phrases.flatMap((phrase) => phrase.words)]
  const loose = findWithin(search, { ...question, words, phrases: [] })
  const unquoted = question.phrases.flatMap((phrase) => writtenWords(phrase.words))
  return loose.passages.length === 0
    ? { ...nothing, missing }
    : {
        ...loose,
        found: 'nearest',
        missing: [...missing.slice(0, question.phrases.length), ...loose.missing],
        nearest: [...unquoted, ...loose.nearest],
      }
}

interface Search {
  readonly connection: SqliteConnection
  readonly languages: Languages
  readonly scope: Scope
  readonly query: RecallQuery
  /** Time zone of the dates in a question; this machine's unless given. */
  readonly timeZone: string | undefined
}

function findWithin(search: Search, { words, phrases, dates }: RecallQuestion): Found {
  const { connection, scope, query } = search
  const fromDates = dates.flatMap((date) => passagesOn(search, date))
  const dated = new Set(fromDates.flatMap(({ word }) => [...tokenize(word.written)].map((token) => token.word)))
  const isOfDate = ({ written }: QuestionWord) => dated.has(written)
  const worthOfPart = ({ worth }: WordRows) =>
    LIKENESS_WORTH * Math.min(worth, ...fromDates.map(({ rows }) => rows.worth))
  const looked = lookUp(search, words)
  // A number of a date alone is not the date: passages from that date come before passages with the number.
  const there = looked
    .filter(({ rows }) => rows.numbers.length > 0)
    .map((each) => (isOfDate(each.word) ? { ...each, rows: { ...each.rows, worth: worthOfPart(each.rows) } } : each))
  const alike = words
    .filter(({ others }) => others.length > 0)
    .map((word) => ({ word, rows: wordRows(search, word.others, LIKENESS_WORTH) }))
    .filter(({ rows }) => rows.numbers.length > 0)
  const isFound = (word: QuestionWord) => isOfDate(word) || alike.some((other) => other.word === word)
  const missing = looked.filter(({ word, rows, frequent }) => rows.numbers.length === 0 && !frequent && !isFound(word))
  const alone = there.length + fromDates.length === 0
  const nearest = missing.map(({ word }) => ({
    word,
    stems:
      phrases.length > 0
        ? []
        : nearestStems({ connection, scope, word, alone, exists: (stem) => isThere(search, [stem]) }),
  }))
  const near = nearest
    .filter(({ stems }) => stems.length > 0)
    .map(({ word, stems }) => ({ word: { ...word, stems }, rows: wordRows(search, stems, LIKENESS_WORTH) }))
    .filter(({ rows }) => rows.numbers.length > 0)
  const all = [...fromDates, ...there, ...alike, ...near].slice(0, MOST_WORDS)
  const candidates = rankCandidates(
    search,
    all.map(({ rows }) => rows),
    phrases,
  )
  const quoted = phrases.flatMap((phrase) => writtenWords(phrase.words))
  const looksFor = [...all.map(({ word }) => word), ...phrases.flatMap((phrase) => phrase.words)]
  const wanted = new Set(looksFor.flatMap((word) => [...word.stems, ...word.others].map(folded)))
  const passages = readPassages(
    connection,
    candidates,
    query,
    all.map(({ word }) => word),
  ).map((passage) => ({
    ...passage,
    matched: [...new Set([...quoted, ...passage.matched])],
    hits: wordsWithStems(passage.text, wanted, search.languages),
  }))
  const missed = writtenWords(missing.map(({ word }) => word))
  if (passages.length === 0) return { ...nothing, missing: missed }
  const found = !alone || alike.length > 0 || phrases.length > 0 ? 'words' : 'nearest'
  return { passages, found, missing: missed, nearest: [...new Set(nearest.flatMap(({ stems }) => stems))] }
}

function rankCandidates(
  search: Search,
  rows: readonly WordRows[],
  phrases: RecallQuestion['phrases'],
): readonly PassageCandidate[] {
  const depth = Math.max(DEPTH, 4 * (search.query.limit ?? DEFAULT_LIMIT))
  // A call is found by its own words: neighbouring calls have little in common.
  const reach = search.query.kinds?.join() === 'call' ? 0 : undefined
  if (phrases.length === 0) return rankPassages(rows, depth, reach)
  const allowed = rowsWithPhrases(search.connection, search.scope, phrases, kindFilter(search.query))
  const around = rankPassages([...rows, { numbers: allowed, worth: 1 }], Infinity, reach)
  const those = new Set(allowed)
  return around.filter(({ number }) => those.has(number))
}

/** The passages of a date. They weigh as much as a word with as many passages. Without a word, the newest are found. */
function passagesOn(
  { connection, scope, timeZone }: Search,
  date: QuestionDate,
): readonly Pick<LookedUp, 'word' | 'rows'>[] {
  const spans = dateSpans(connection, scope, date, timeZone)
  const count = spans.reduce((sum, { first, last }) => sum + last - first + 1, 0)
  if (count === 0) return []
  const numbers: number[] = []
  for (const { first, last } of spans.toReversed()) {
    for (let number = last; number >= first && numbers.length < DEPTH; number -= 1) numbers.push(number)
  }
  const word = { written: date.written, stems: [], others: [], part: false }
  return [{ word, rows: { numbers: numbers.toReversed(), worth: inverseFrequency(scope, count), spans } }]
}

interface LookedUp {
  readonly word: QuestionWord
  readonly rows: WordRows
  /** Too frequent to be searched alone. */
  readonly frequent: boolean
}

/**
 * Finds the passages of each word, the rarest word first. Words with too many rows count only beside rarer ones; if no word
 * is rare enough, the newest rows of the rarest are used.
 */
function lookUp(search: Search, words: readonly QuestionWord[]): readonly LookedUp[] {
  const { connection, scope } = search
  const counts = words.length * scope.passages > MOST_ROWS
  const byRarity = words
    .map((word) => ({
      word,
      count: counts ? countMatches(connection, scope, stemExpression(search, word.stems), MOST_ROWS + 1) : 1,
    }))
    .toSorted((a, b) => a.count - b.count)
  let left = MOST_ROWS
  const looked: LookedUp[] = []
  const frequent: QuestionWord[] = []
  for (const { word, count } of byRarity) {
    if (looked.length > 0 && count > left) {
      frequent.push(word)
      continue
    }
    looked.push({ word, rows: wordRows(search, word.stems), frequent: false })
    left -= count
  }
  const rare = looked.flatMap(({ word }) => word.stems)
  for (const word of frequent) {
    const expression = `${matchAny(rare)} AND ${stemExpression(search, word.stems)}`
    looked.push({
      word,
      rows: {
        numbers: matchingNumbers(connection, scope, expression, MOST_ROWS),
        worth: inverseFrequency(scope, MOST_ROWS),
      },
      frequent: true,
    })
  }
  return looked
}

function wordRows(search: Search, stems: readonly string[], share = 1): WordRows {
  const numbers = outside(
    search,
    matchingNumbers(search.connection, search.scope, stemExpression(search, stems), MOST_ROWS),
  )
  return { numbers, worth: share * inverseFrequency(search.scope, numbers.length) }
}

/** A word in more passages than this is also in other turns than those that a question leaves out. */
const MOST_LEFT_OUT = 200

/**
 * Passages without those of turns that the question leaves out: who asks about a word has named it, and a word that stands
 * nowhere else is missing.
 */
function outside({ connection, query: { exceptTurns = [] } }: Search, numbers: readonly number[]): readonly number[] {
  if (exceptTurns.length === 0 || numbers.length === 0 || numbers.length > MOST_LEFT_OUT) return numbers
  return connection
    .all<{ readonly number: number }>(
      `select number from passages where number in (select value from json_each(?))
         and turn not in (select value from json_each(?)) order by number`,
      JSON.stringify(numbers),
      JSON.stringify(exceptTurns),
    )
    .map(({ number }) => number)
}

function isThere(search: Search, stems: readonly string[]): boolean {
  const { connection, scope } = search
  return outside(search, matchingNumbers(connection, scope, matchAny(stems), MOST_LEFT_OUT + 1)).length > 0
}

/** The words of a text that have one of the stems, in lower case, each once. */
function wordsWithStems(text: string, wanted: ReadonlySet<string>, languages: Languages): readonly string[] {
  const { stem } = detectLanguage(text, languages)
  const words = new Set([...tokenize(text)].map(({ word }) => word))
  return [...words].filter((word) => wanted.has(folded(stem(word))))
}

/** The inverse document frequency of BM25. */
function inverseFrequency({ passages }: Scope, rows: number): number {
  return Math.log(1 + (Math.max(0, passages - rows) + 0.5) / (rows + 0.5))
}

function stemExpression({ query }: Search, stems: readonly string[]): string {
  return `${matchAny(stems)}${kindFilter(query)}`
}

/** Limits an expression to passages of the requested kind. */
function kindFilter({ kinds }: RecallQuery): string {
  const [only, ...others] = new Set(kinds)
  return only === undefined || others.length > 0 ? '' : ` AND ${matchAny([kindMark[only]])}`
}

function writtenWords(words: readonly QuestionWord[]): readonly string[] {
  return words.filter(({ part }) => !part).map(({ written }) => written)
}

/** Passages that are read for a question with phrases: the newest that contain all their words. */
const MOST_READ = 2_000

/** The passages that contain every exact phrase, ascending. `mark` limits them to a kind. */
function rowsWithPhrases(
  connection: SqliteConnection,
  scope: Scope,
  phrases: readonly Phrase[],
  mark: string,
): readonly number[] {
  const words = phrases.flatMap((phrase) => phrase.words)
  const expression = words.map(({ stems }) => matchAny(stems)).join(' AND ') + mark
  const numbers = matchingNumbers(connection, scope, expression, MOST_READ)
  const wanted = phrases.map(({ written }) => plain(written))
  return connection
    .all<{ readonly number: number; readonly text: string }>(
      'select number, text from passages where number in (select value from json_each(?)) order by number',
      JSON.stringify(numbers),
    )
    .filter(({ text }) => {
      const read = plain(text)
      return wanted.every((phrase) => read.includes(phrase))
    })
    .map(({ number }) => number)
}

function plain(text: string): string {
  return text.normalize('NFKC').toLowerCase().replaceAll(/\s+/g, ' ')
}

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
  exists(stem: string): boolean
}

/**
 * Stems in a scope with the most similar spelling to a word that no passage contains: one or two letters differ, or one
 * begins with the other. `alone`: no other word of the question was found. Otherwise only one letter may differ: most
 * missing words were put in other words.
 */
function nearestStems({ connection, scope, word, alone, exists }: NearestInput): readonly string[] {
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
    .filter(exists)
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
