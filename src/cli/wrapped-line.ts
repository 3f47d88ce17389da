import { stripVTControlCharacters } from 'node:util'

/** A line broken at words, each part at most `columns` cells of a terminal where its words allow it. A command in backticks is one word, so that it can be copied. */
export function wrappedLine(line: string, columns: number): string {
  const lines = ['']
  let room = columns
  for (const word of line.split(BLANK)) {
    const own = cells(stripVTControlCharacters(word))
    if (lines.at(-1) === '') lines[lines.length - 1] = word
    else if (own + 1 > room) lines.push(word)
    else lines[lines.length - 1] += ` ${word}`
    room = lines.at(-1) === word ? columns - own : room - own - 1
  }
  return lines.join('\n')
}

/** One that no backtick is open at. */
const BLANK = / (?=(?:[^`]*`[^`]*`)*[^`]*$)/

const ASCII = /^[\u0020-\u007e]*$/

/** Characters of two terminal cells: East Asian ones and emoji. */
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}/u

/** The cells of a terminal that a text takes. */
export function cells(text: string): number {
  if (ASCII.test(text)) return text.length
  let sum = 0
  for (const { segment } of new Intl.Segmenter().segment(text)) sum += WIDE.test(segment) ? 2 : 1
  return sum
}
