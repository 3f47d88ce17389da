// Made with the first text: every start of a program loads this file, and hardly any divides a text.
let segmenter: Intl.Segmenter | undefined
/** Scripts without spaces whose words dictionaries divide in more than one way. */
const ideographs = /^[\p{Script=Han}\p{Script=Hangul}]{3,}$/u

/**
 * The words of a text, in lower case, in the order of the text: of Chinese, Japanese or Thai too, which put no blanks
 * between them. Each pair of characters follows a longer word of Han or Hangul: whether 東京都 is one word or two depends
 * on the text around it, and both must find it. Documents and queries are divided in the same way.
 */
export function splitWords(text: string): readonly string[] {
  const words: string[] = []
  for (const { word, pairs } of eachWord(text)) words.push(word, ...pairs)
  return words
}

/** The same words one by one, each with the pairs of its characters. */
export function* eachWord(text: string): Generator<{ readonly word: string; readonly pairs: readonly string[] }> {
  // Unicode keeps words with a colon inside together, as in Swedish; `title:life` is two words.
  const plain = text.normalize('NFKC').toLowerCase().replaceAll(':', ' ')
  segmenter ??= new Intl.Segmenter('und', { granularity: 'word' })
  for (const { segment, isWordLike } of segmenter.segment(plain)) {
    if (isWordLike) yield { word: segment, pairs: ideographs.test(segment) ? characterPairs(segment) : [] }
  }
}

function characterPairs(word: string): readonly string[] {
  const characters = Array.from(word)
  return characters.slice(1).map((character, index) => `${characters[index]}${character}`)
}
