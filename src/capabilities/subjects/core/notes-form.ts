import { linesOf } from './lines.ts'
import type { Notes } from './subject-context.ts'
import { beginningOf, capNotice, endOf } from './text-cap.ts'

/** Notes of more lines than these are long: their middle is left out (BEHAVIOURS §4). */
export const longNotesLines = 40

const HEAD_LINES = 10
const TAIL_LINES = longNotesLines - HEAD_LINES

/**
 * Notes of at most 40 lines as they are; longer ones as their first 10 and their last 30. Where even those have more than
 * `maxChars` characters, the beginning keeps a quarter of the room, and the end, which is the newest, the rest of it.
 */
export function notesForm(text: string, maxChars: number): Notes {
  const lines = linesOf(text)
  if (lines.length > longNotesLines) return { summary: longForm(text, lines, maxChars), truncated: true }
  if (text.length <= maxChars) return { summary: text, truncated: false }
  const [head, tail] = fitted(text, text, maxChars)
  return { summary: `${head}\n\n${noticeOf(head, tail, text)}\n\n${tail}`, truncated: true }
}

function longForm(text: string, lines: readonly string[], maxChars: number): string {
  const first = lines.slice(0, HEAD_LINES).join('\n')
  const last = lines.slice(-TAIL_LINES).join('\n')
  const elided = `\n\n... [${lines.length - longNotesLines} lines elided] ...\n\n`
  if (first.length + last.length <= maxChars) return `${first}${elided}${last}`
  const [head, tail] = fitted(first, last, maxChars)
  return `${head}${elided}${noticeOf(head, tail, text)}\n\n${tail}`
}

function fitted(first: string, last: string, maxChars: number): readonly [string, string] {
  const head = beginningOf(first, Math.max(Math.floor(maxChars / 4), maxChars - last.length))
  return [head, endOf(last, maxChars - head.length)]
}

function noticeOf(head: string, tail: string, text: string): string {
  return capNotice(head.length + tail.length, text.length, 'read_full_notes reads the rest')
}
