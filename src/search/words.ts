const segmenter = new Intl.Segmenter('und', { granularity: 'word' })
/** Written without blanks, in words that dictionaries divide in more than one way. */
const ideographs = /^[\p{Script=Han}\p{Script=Hangul}]{3,}$/u

/**
 * The words of a text, in lower case, in the order of the text: of Chinese, Japanese or Thai too, which put no blanks
 * between them. A longer word of Han or Hangul is followed by each pair of its characters: whether 東京都 is one word or
 * two depends on what stands beside it, and it has to be found either way. Documents and queries go through the same.
 */
export function wordsOf(text: string): readonly string[] {
  const words: string[] = []
  for (const { word, pairs } of eachWord(text)) words.push(word, ...pairs)
  return words
}

/** The same words one by one, each beside the pairs of its characters. */
export function* eachWord(text: string): Generator<{ readonly word: string; readonly pairs: readonly string[] }> {
  // Unicode holds what a colon stands between for one word, as in Swedish; `title:life` is two.
  const plain = text.normalize('NFKC').toLowerCase().replaceAll(':', ' ')
  for (const { segment, isWordLike } of segmenter.segment(plain)) {
    if (isWordLike) yield { word: segment, pairs: ideographs.test(segment) ? pairsOf(segment) : [] }
  }
}

function pairsOf(word: string): readonly string[] {
  const characters = Array.from(word)
  return characters.slice(1).map((character, index) => `${characters[index]}${character}`)
}
