import { eachWord } from '../words.ts'

/** A word of a text in lower case, as it is looked for before it is stemmed. */
export interface Token {
  readonly word: string
  /** It is a part of a word that is a token itself, such as `history` of `readHistory`. */
  readonly part: boolean
}

/** Of a longer word, such as a line of base64, what is kept. */
const LONGEST_WORD = 80
const unspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u
const words = /[\p{L}\p{N}\p{M}]+(?:['’]s(?![\p{L}\p{N}\p{M}]))?/gu
const humps = /\p{Lu}+(?=\p{Lu}\p{Ll})|\p{Lu}?\p{Ll}+|\p{Lu}+|\p{N}+/gu
const grouped = /(?<![\p{L}\p{N}.,])\d{1,3}(?:[.,'’]\d{3})+(?![\p{L}\p{N}])/gu

/**
 * The words of a text: the steps of a path, the parts of `snake_case`, `kebab-case` and `camelCase`, a number with and
 * without its separators, and of scripts without spaces the words that Unicode's segmentation finds. What is searched and
 * what is looked for go through the same.
 */
export function* tokensOf(text: string): Generator<Token> {
  const plain = text.normalize('NFKC')
  if (unspaced.test(plain)) yield* segmented(plain)
  else yield* spaced(plain)
  for (const [number] of plain.matchAll(grouped)) yield { word: number.replaceAll(/\D/g, ''), part: true }
}

function* spaced(text: string): Generator<Token> {
  for (const [match] of text.matchAll(words)) {
    const word = match.replace(/['’]s$/, '')
    yield { word: word.toLowerCase().slice(0, LONGEST_WORD), part: false }
    yield* partsOf(word)
  }
}

function* segmented(text: string): Generator<Token> {
  for (const { word, pairs } of eachWord(text)) {
    for (const [match] of word.matchAll(words)) yield { word: match.replace(/['’]s$/, ''), part: false }
    for (const pair of pairs) yield { word: pair, part: true }
  }
}

function* partsOf(word: string): Generator<Token> {
  if (!/\p{Ll}\p{Lu}/u.test(word) || word.length > LONGEST_WORD) return
  for (const [hump] of word.matchAll(humps)) yield { word: hump.toLowerCase(), part: true }
}
