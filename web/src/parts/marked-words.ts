/** Finds the words in a text: whole ones, or where it has none of them, parts of words, as of `readHistory`. */
export function wordPattern(text: string, words: readonly string[]): RegExp | undefined {
  if (words.length === 0) return undefined
  const longestFirst = words.toSorted((one, other) => other.length - one.length)
  const any = `(${longestFirst.map((word) => RegExp.escape(word)).join('|')})`
  const whole = new RegExp(`(?<![\\p{L}\\p{N}])${any}(?![\\p{L}\\p{N}])`, 'iu')
  return whole.test(text) ? whole : new RegExp(any, 'iu')
}

/** The name under which `theme.css` draws the marks. */
const NAME = 'found-words'

/** Marks words in a drawn text, without changing what is drawn. Returns the elements that have some, in order. */
export function markWords(root: Element, words: readonly string[]): readonly Element[] {
  unmarkWords()
  const once = wordPattern(root.textContent, words)
  if (once === undefined || !('highlights' in CSS)) return []
  const pattern = new RegExp(once, 'giu')
  const texts = document.createTreeWalker(root, NodeFilter.SHOW_TEXT)
  const found: Element[] = []
  const marks = new Highlight()
  for (let node = texts.nextNode(); node !== null; node = texts.nextNode()) {
    for (const { 0: word, index } of (node.nodeValue ?? '').matchAll(pattern)) {
      const range = new Range()
      range.setStart(node, index)
      range.setEnd(node, index + word.length)
      marks.add(range)
      found.push(node.parentElement!)
    }
  }
  CSS.highlights.set(NAME, marks)
  return found
}

export function unmarkWords(): void {
  if ('highlights' in CSS) CSS.highlights.delete(NAME)
}
