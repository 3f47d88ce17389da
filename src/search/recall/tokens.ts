import type { PassageKind } from '../recall.ts'
import { eachWord } from '../words.ts'
import type { Language, Languages } from './languages.ts'

/** A word of a text in lower case, before stemming. */
interface Token {
  readonly word: string
  /** It is a part of another token, such as `history` of `readHistory`. */
  readonly part: boolean
}

/** Characters of a longer word, such as a line of base64, that are kept. */
const LONGEST_WORD = 80
const unspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u
const words = /[\p{L}\p{N}\p{M}]+(?:['’]s(?![\p{L}\p{N}\p{M}]))?/gu
const humps = /\p{Lu}+(?=\p{Lu}\p{Ll})|\p{Lu}?\p{Ll}+|\p{Lu}+|\p{N}+/gu
const grouped = /(?<![\p{L}\p{N}.,])\d{1,3}(?:[.,'’]\d{3})+(?![\p{L}\p{N}])/gu

/**
 * The words of a text: the steps of a path, the parts of `snake_case`, `kebab-case` and `camelCase`, a number with and
 * without its separators, and of scripts without spaces the words that Unicode's segmentation finds. Passages and
 * questions are divided in the same way.
 */
export function* tokenize(text: string): Generator<Token> {
  const plain = text.normalize('NFKC')
  if (unspaced.test(plain)) yield* segmented(plain)
  else yield* spaced(plain)
  for (const [number] of plain.matchAll(grouped)) yield { word: number.replaceAll(/\D/g, ''), part: true }
}

function* spaced(text: string): Generator<Token> {
  for (const [match] of text.matchAll(words)) {
    const word = match.replace(/['’]s$/, '')
    yield { word: word.toLowerCase().slice(0, LONGEST_WORD), part: false }
    yield* wordParts(word)
  }
}

function* segmented(text: string): Generator<Token> {
  for (const { word, pairs } of eachWord(text)) {
    for (const [match] of word.matchAll(words)) yield { word: match.replace(/['’]s$/, ''), part: false }
    for (const pair of pairs) yield { word: pair, part: true }
  }
}

function* wordParts(word: string): Generator<Token> {
  if (!/\p{Ll}\p{Lu}/u.test(word) || word.length > LONGEST_WORD) return
  for (const [hump] of word.matchAll(humps)) yield { word: hump.toLowerCase(), part: true }
}

/** Marks the kind of a passage among its stems. No text contains it: private-use characters are not part of words. */
export const kindMark: Readonly<Record<PassageKind, string>> = { call: '\uE000c', message: '\uE000m' }

/** The indexed text of a passage: each stem once, and the mark of its kind. */
export function stemText(text: string, kind: PassageKind, language: Language): string {
  const stems = new Set([kindMark[kind]])
  for (const { word } of tokenize(text)) stems.add(language.stem(word))
  return [...stems].join(' ')
}

export function detectLanguage(text: string, languages: Languages): Language {
  return languages.of([...tokenize(text.slice(0, LOOKED_AT))].map(({ word }) => word))
}

/** Characters of a text that its language is detected from. */
const LOOKED_AT = 2_000
