import { datesIn, type QuestionDate } from './dates.ts'
import type { Languages } from './languages.ts'
import { namingStems } from './naming.ts'
import { tokensOf } from './tokens.ts'

/** A question taken apart. */
export interface Question {
  /** What to look for besides the phrases, each word once. */
  readonly words: readonly QuestionWord[]
  readonly phrases: readonly Phrase[]
  /** When it may have been: what was said then is worth more. */
  readonly dates: readonly QuestionDate[]
}

export interface QuestionWord {
  /** In lower case. */
  readonly written: string
  /** What every language of the index makes of it: any of them is the word. */
  readonly stems: readonly string[]
  /** Stems of words that mean the same. */
  readonly others: readonly string[]
  /** Only a part of another word of the question. */
  readonly part: boolean
}

/** Words between quotation marks: they have to appear as they are, whatever their case and the blanks between them. */
export interface Phrase {
  readonly written: string
  readonly words: readonly QuestionWord[]
}

/** Of a question, what is read, characters. */
const LONGEST_QUESTION = 10_000
const quoted = /"([^"]+)"|“([^”]+)”|„([^“”]+)[“”]|«([^»]+)»/g

/** Takes a question apart. Words that say nothing alone are left out, unless there are no others. */
export function questionOf(text: string, languages: Languages, indexed: readonly string[]): Question {
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
    dates: datesIn(loose, indexed),
  }

  function wordsIn(part: string): readonly QuestionWord[] {
    const found = new Map<string, QuestionWord>()
    const tokens = [...tokensOf(part)]
    const language = languages.of(tokens.map(({ word }) => word))
    for (const { word, part: isPart } of tokens) {
      const spoken = [language, ...stemmers]
      const stems = [...new Set(spoken.map(({ stem }) => stem(word)))]
      const others = [...new Set(spoken.flatMap((each) => namingStems(word, each)))].filter(
        (stem) => !stems.includes(stem),
      )
      if (!found.has(stems[0]!)) found.set(stems[0]!, { written: word, stems, others, part: isPart })
    }
    return [...found.values()]
  }
}
