import type { RecallAnswer, RecallQuery } from '../recall.ts'
import type { Connection } from '../sqlite/connection.ts'
import type { Languages } from './languages.ts'
import { nearestStems } from './nearest-words.ts'
import { passagesOf } from './passages-of.ts'
import { rowsWithPhrases } from './phrases.ts'
import type { QuestionDate } from './dates.ts'
import { type Question, questionOf, type QuestionWord } from './question.ts'
import { type Candidate, MOST_WORDS, ranked, type WordRows } from './rank.ts'
import { anyOf, countOf, numbersOf, type Scope, scopeOf } from './scope.ts'
import { spansOf } from './spans.ts'
import { tokensOf } from './tokens.ts'
import { kindMark } from './stems.ts'

type Found = Omit<RecallAnswer, 'complete'>

const DEFAULT_LIMIT = 10
/** Passages that are ranked for one question: more than are answered, since some are no answer. */
const DEPTH = 200
/** Rows that are looked at for one question. Words beyond it count only where rarer ones were found. */
const MOST_ROWS = 10_000
/** Of what a word is worth, what one is that only means the same or is only spelled like it. */
const LIKENESS_WORTH = 0.5
const nothing: Found = { passages: [], found: 'nothing', missing: [], nearest: [] }

/** Answers a question from the passages within its scope. */
export function findPassages(
  connection: Connection,
  languages: Languages,
  query: RecallQuery,
  timeZone?: string,
): Found {
  const scope = scopeOf(connection, query.sessions)
  const question = questionOf(query.text, languages, indexedLanguages(connection))
  const missing = [...question.phrases.map(({ written }) => `"${written}"`), ...writtenOf(question.words)]
  if (!scope || (query.limit ?? DEFAULT_LIMIT) < 1) return { ...nothing, missing }
  const found = findWithin({ connection, scope, query, timeZone }, question)
  if (found.passages.length > 0 || question.phrases.length === 0) return found
  // No passage has the phrases as they are: their words are the nearest.
  const words = [...question.words, ...question.phrases.flatMap((phrase) => phrase.words)]
  const loose = findWithin({ connection, scope, query, timeZone }, { ...question, words, phrases: [] })
  const unquoted = question.phrases.flatMap((phrase) => writtenOf(phrase.words))
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
  readonly connection: Connection
  readonly scope: Scope
  readonly query: RecallQuery
  /** Of the dates in a question; this machine's where absent. */
  readonly timeZone: string | undefined
}

function findWithin(search: Search, { words, phrases, dates }: Question): Found {
  const { connection, scope, query } = search
  const then = dates.flatMap((date) => saidOn(search, date))
  const dated = new Set(then.flatMap(({ word }) => [...tokensOf(word.written)].map((token) => token.word)))
  const isOfDate = ({ written }: QuestionWord) => dated.has(written)
  const worthOfPart = ({ worth }: WordRows) => LIKENESS_WORTH * Math.min(worth, ...then.map(({ rows }) => rows.worth))
  const looked = lookUp(search, words)
  // A number of the date alone is not the date: what was said then comes before what only has that number.
  const there = looked
    .filter(({ rows }) => rows.numbers.length > 0)
    .map((each) => (isOfDate(each.word) ? { ...each, rows: { ...each.rows, worth: worthOfPart(each.rows) } } : each))
  const alike = words
    .filter(({ others }) => others.length > 0)
    .map((word) => ({ word, rows: rowsOf(search, word.others, LIKENESS_WORTH) }))
    .filter(({ rows }) => rows.numbers.length > 0)
  const told = (word: QuestionWord) => isOfDate(word) || alike.some((other) => other.word === word)
  const missing = looked.filter(({ word, rows, frequent }) => rows.numbers.length === 0 && !frequent && !told(word))
  const alone = there.length + then.length === 0
  const nearest = missing.map(({ word }) => ({
    word,
    stems: phrases.length > 0 ? [] : nearestStems(connection, scope, word, alone),
  }))
  const near = nearest
    .filter(({ stems }) => stems.length > 0)
    .map(({ word, stems }) => ({ word, rows: rowsOf(search, stems, LIKENESS_WORTH) }))
    .filter(({ rows }) => rows.numbers.length > 0)
  const all = [...then, ...there, ...alike, ...near].slice(0, MOST_WORDS)
  const candidates = candidatesOf(
    search,
    all.map(({ rows }) => rows),
    phrases,
  )
  const quoted = phrases.flatMap((phrase) => writtenOf(phrase.words))
  const passages = passagesOf(
    connection,
    candidates,
    query,
    all.map(({ word }) => word),
  ).map((passage) => ({ ...passage, matched: [...new Set([...quoted, ...passage.matched])] }))
  const missed = writtenOf(missing.map(({ word }) => word))
  if (passages.length === 0) return { ...nothing, missing: missed }
  const found = !alone || alike.length > 0 || phrases.length > 0 ? 'words' : 'nearest'
  return { passages, found, missing: missed, nearest: [...new Set(nearest.flatMap(({ stems }) => stems))] }
}

function candidatesOf(search: Search, rows: readonly WordRows[], phrases: Question['phrases']): readonly Candidate[] {
  const depth = Math.max(DEPTH, 4 * (search.query.limit ?? DEFAULT_LIMIT))
  // What a tool did is found by its own words: calls beside each other have little to do with each other.
  const reach = search.query.kinds?.join() === 'call' ? 0 : undefined
  if (phrases.length === 0) return ranked(rows, depth, reach)
  const allowed = rowsWithPhrases(search.connection, search.scope, phrases, markOf(search.query))
  const around = ranked([...rows, { numbers: allowed, worth: 1 }], Infinity, reach)
  const those = new Set(allowed)
  return around.filter(({ number }) => those.has(number))
}

/** What was said on a date: worth as much as a word that is found as often. Of those, the newest are found without a word. */
function saidOn(
  { connection, scope, timeZone }: Search,
  date: QuestionDate,
): readonly Pick<LookedUp, 'word' | 'rows'>[] {
  const spans = spansOf(connection, scope, date, timeZone)
  const count = spans.reduce((sum, { first, last }) => sum + last - first + 1, 0)
  if (count === 0) return []
  const numbers: number[] = []
  for (const { first, last } of spans.toReversed()) {
    for (let number = last; number >= first && numbers.length < DEPTH; number -= 1) numbers.push(number)
  }
  const word = { written: date.written, stems: [], others: [], part: false }
  return [{ word, rows: { numbers: numbers.toReversed(), worth: worthOf(scope, count), spans } }]
}

interface LookedUp {
  readonly word: QuestionWord
  readonly rows: WordRows
  /** Too frequent to be looked for alone. */
  readonly frequent: boolean
}

/**
 * Where the words stand, the rarest first. Those for which there are too many rows to look at count only beside rarer ones;
 * where there is none that is rare enough, the newest rows of the rarest have to do.
 */
function lookUp(search: Search, words: readonly QuestionWord[]): readonly LookedUp[] {
  const { connection, scope } = search
  const counts = words.length * scope.passages > MOST_ROWS
  const byRarity = words
    .map((word) => ({
      word,
      count: counts ? countOf(connection, scope, expressionOf(search, word.stems), MOST_ROWS + 1) : 1,
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
    looked.push({ word, rows: rowsOf(search, word.stems), frequent: false })
    left -= count
  }
  const rare = looked.flatMap(({ word }) => word.stems)
  for (const word of frequent) {
    const expression = `${anyOf(rare)} AND ${expressionOf(search, word.stems)}`
    looked.push({
      word,
      rows: { numbers: numbersOf(connection, scope, expression, MOST_ROWS), worth: worthOf(scope, MOST_ROWS) },
      frequent: true,
    })
  }
  return looked
}

function rowsOf(search: Search, stems: readonly string[], share = 1): WordRows {
  const numbers = numbersOf(search.connection, search.scope, expressionOf(search, stems), MOST_ROWS)
  return { numbers, worth: share * worthOf(search.scope, numbers.length) }
}

/** The inverse document frequency of BM25. */
function worthOf({ passages }: Scope, rows: number): number {
  return Math.log(1 + (Math.max(0, passages - rows) + 0.5) / (rows + 0.5))
}

function expressionOf({ query }: Search, stems: readonly string[]): string {
  return `${anyOf(stems)}${markOf(query)}`
}

/** What narrows an expression to passages of the kind that is asked for. */
function markOf({ kinds }: RecallQuery): string {
  const [only, ...others] = new Set(kinds)
  return only === undefined || others.length > 0 ? '' : ` AND ${anyOf([kindMark[only]])}`
}

function writtenOf(words: readonly QuestionWord[]): readonly string[] {
  return words.filter(({ part }) => !part).map(({ written }) => written)
}

function indexedLanguages(connection: Connection): readonly string[] {
  return connection.all<{ readonly name: string }>('select name from languages').map(({ name }) => name)
}
