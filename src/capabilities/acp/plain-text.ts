import { exactLine } from '../../context.ts'

/** Code in a fence longer than any in the text, which could otherwise show an image or a link with a false name. */
export function codeBlock(text: string): string {
  const fence = '`'.repeat(Math.max(3, longestRun(text) + 1))
  return `${fence}\n${text.replace(/\n$/, '')}\n${fence}`
}

/** As `codeBlock`, for one line inside a sentence, shortened where it is long. */
export function codeSpan(text: string): string {
  const line = exactLine(text.length > MOST_CHARACTERS ? `${text.slice(0, MOST_CHARACTERS).toWellFormed()}…` : text)
  const fence = '`'.repeat(longestRun(line) + 1)
  const blank = fence.length > 1 || line.startsWith('`') || line.endsWith('`') ? ' ' : ''
  return `${fence}${blank}${line}${blank}${fence}`
}

const MOST_CHARACTERS = 160

function longestRun(text: string): number {
  return Math.max(0, ...[...text.matchAll(/`+/g)].map(([run]) => run.length))
}
