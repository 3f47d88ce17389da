/** Characters of a file that are shown as the nearest thing to what was looked for. */
const SHOWN = 400

/** Larger texts are not compared line by line, nor are more lines with more lines than this comes to. */
const MOST_TEXT = 1_000_000
const MOST_WANTED = 10_000
const MOST_COMPARISONS = 20_000_000

/** What comes nearest to a text that does not stand in a file, as the end of a sentence; says so where nothing does. */
export function nearestText(text: string, wanted: string): string {
  if (text.includes('\r\n') && text.includes(wanted.replace(/\r?\n/g, '\r\n'))) {
    return ': its lines end in \\r\\n, those of old_text in \\n'
  }
  if (text.length > MOST_TEXT || wanted.length > MOST_WANTED) return '; read the file again'
  const lines = text.split('\n')
  const asked = wanted.split('\n').map(squeezed)
  if (lines.length * asked.length > MOST_COMPARISONS) return '; read the file again'
  const found = placeOf(lines.map(squeezed), withoutBlankEnds(asked))
  if (found !== undefined) {
    return `: from line ${found + 1} on it is the same but for spaces:\n${excerpt(lines, found, asked.length)}`
  }
  const first = asked.find((line) => line !== '') ?? ''
  const like = lines.findIndex((line) => first !== '' && squeezed(line) === first)
  if (like !== -1) return `: only its first line does, at line ${like + 1}:\n${excerpt(lines, like, asked.length)}`
  return ', nor does its first line; read the file again'
}

function squeezed(line: string): string {
  return line.replace(/\s+/g, ' ').trim()
}

function withoutBlankEnds(lines: readonly string[]): readonly string[] {
  const [first, last] = [lines.findIndex((line) => line !== ''), lines.findLastIndex((line) => line !== '')]
  return first === -1 ? [] : lines.slice(first, last + 1)
}

function placeOf(lines: readonly string[], asked: readonly string[]): number | undefined {
  if (asked.length === 0) return undefined
  const place = lines.findIndex((_, start) => asked.every((line, index) => lines[start + index] === line))
  return place === -1 ? undefined : place
}

function excerpt(lines: readonly string[], start: number, count: number): string {
  return lines
    .slice(start, start + count)
    .join('\n')
    .slice(0, SHOWN)
    .toWellFormed()
}
