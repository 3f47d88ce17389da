/** The lines of a text, without their ends: `\n`, `\r\n` or `\r`. An end at the very end begins no further line. */
export function linesOf(text: string): readonly string[] {
  return wholeLines(text).map((line) => line.replace(/[\r\n]+$/, ''))
}

/** The same, each with the end that it has: joined they are the text. */
export function wholeLines(text: string): readonly string[] {
  return text.match(/[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+/g) ?? []
}
