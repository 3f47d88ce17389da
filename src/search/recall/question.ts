import { parseDates, type QuestionDate } from './dates.ts'
import { type Languages, namingStems } from './languages.ts'
import { tokenize } from './tokens.ts'

export interface RecallQuestion {
  /** Words to find besides the phrases, each once. */
  readonly words: readonly QuestionWord[]
  readonly phrases: readonly Phrase[]
  /** Dates in the question: passages from then rank higher. */
  readonly dates: readonly QuestionDate[]
}

export interface QuestionWord {
  /** In lower case. */
  readonly written: string
  /** Its stem in every language of the index: any of them matches. */
  readonly stems: readonly string[]
  /** Stems of words that mean the same. */
  readonly others: readonly string[]
  /** It is a part of another word of the question. */
  readonly part: boolean
}

/** Words between quotation marks. They must appear exactly, apart from case and whitespace. */
export interface Phrase {
  readonly written: string
  readonly words: readonly QuestionWord[]
}

/** Characters of a question that are read. */
const LONGEST_QUESTION = 10_000
const quoted = /"([^"]+)"|“([^”]+)”|„([^“”]+)[“”]|«([^»]+)»/g

/** Parses a question. Stop words are left out, unless there are no other words. */
export function parseQuestion(text: string, languages: Languages, indexed: readonly string[]): RecallQuestion {
  const plain = text.slice(0, LONGEST_QUESTION).toWellFormed()
  const stemmers = indexed.flatMap((name) => languages.named(name) ?? [])
  const phrases = [...plain.matchAll(quoted)]
    .map((match) => (match[1] ?? match[2] ?? match[3] ?? match[4]!).trim())
    .map((written) => ({ written, words: wordsIn(written) }))
    .filter((phrase) => phrase.words.length > 0)
  const loose = phrases.length === 0 ? plain : plain.replaceAll(quoted, ' ')
  const words = wordsIn(loose)
  const isStopWord = languages.stopWordsIn(words.map(({ written }) => written))
  const telling = words.filter(({ written }) => !isStopWord(written))
  return {
    words: telling.length === 0 && phrases.length === 0 ? words : telling,
    phrases,
    dates: parseDates(loose, indexed),
  }

  function wordsIn(part: string): readonly QuestionWord[] {
    const found = new Map<string, QuestionWord>()
    const tokens = [...tokenize(part)]
    const language = languages.of(tokens.map(({ word }) => word))
    for (const { word, part: isPart } of tokens) {
      const stemming = [language, ...stemmers]
      const stems = [...new Set(stemming.map(({ stem }) => stem(word)))]
      const others = [...new Set(stemming.flatMap((each) => namingStems(word, each)))].filter(
        (stem) => !stems.includes(stem),
      )
      if (!found.has(stems[0]!)) found.set(stems[0]!, { written: word, stems, others, part: isPart })
    }
    return [...found.values()]
  }
}
