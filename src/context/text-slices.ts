/**
 * Cuts a text where an estimate that goes from word to word (`tokenx`) would start again: between a word and what is no word,
 * with no sign of East Asian writing behind the cut, since that belongs to the word before it. Each slice has at least
 * `size` characters (UTF-16 units), the last one excepted; more where no such place comes earlier. Joined they are the text.
 */
export function* wordSlices(text: string, size: number): Generator<string> {
  let start = 0
  while (text.length - start > size) {
    boundary.lastIndex = start + size - 1
    const found = boundary.exec(text)
    const end = found ? found.index + 1 : undefined
    if (end === undefined) break
    yield text.slice(start, end)
    start = end
  }
  if (start < text.length) yield text.slice(start)
}

/** The signs between which `tokenx` finds words. */
const plainSigns = String.raw`.,!?;(){}\[\]<>:/\\|@#$%^&*+=${'`'}~_"\-`
const eastAsianSigns = String.raw`\u3001-\u3003\u3008-\u3011\u3014-\u301F\u3030\u30FB\uFF01-\uFF0F\uFF1A-\uFF20\uFF3B-\uFF40\uFF5B-\uFF65`
const noWord = String.raw`\s${plainSigns}${eastAsianSigns}`
const boundary = new RegExp(String.raw`[^${noWord}](?=[\s${plainSigns}])|[${noWord}](?=[^${noWord}])`, 'g')

/** The last place up to `at` where a text can be cut: a pair of UTF-16 units is one character, and half of it is none. */
export function wholeCharacter(text: string, at: number): number {
  return at > 0 && at < text.length && /[\uD800-\uDBFF]/.test(text.charAt(at - 1)) ? at - 1 : at
}
