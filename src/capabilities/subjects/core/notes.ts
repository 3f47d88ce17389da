import { splitLines, wholeLines, textBeginning, capNotice, capText, textEnd, moreBySetting } from './lines.ts'
import { type Notes, type NotesPage, type NotesQuery, SubjectError } from './subjects.ts'

/** Notes of more lines than these are long: their middle is left out (BEHAVIOURS §4). */
export const longNotesLines = 40

const HEAD_LINES = 10
const TAIL_LINES = longNotesLines - HEAD_LINES

/** Notes of at most 40 lines whole, else their first 10 and last 30; beyond `maxChars`, a quarter is the beginning. */
export function notesForm(text: string, maxChars: number): Notes {
  const lines = splitLines(text)
  if (lines.length > longNotesLines) return { summary: longForm(text, lines, maxChars), truncated: true }
  if (text.length <= maxChars) return { summary: text, truncated: false }
  const [head, tail] = fitted(text, text, maxChars)
  return { summary: `${head}\n\n${cutNotice(head, tail, text)}\n\n${tail}`, truncated: true }
}

function longForm(text: string, lines: readonly string[], maxChars: number): string {
  const first = lines.slice(0, HEAD_LINES).join('\n')
  const last = lines.slice(-TAIL_LINES).join('\n')
  const elided = `\n\n... [${lines.length - longNotesLines} lines elided] ...\n\n`
  if (first.length + last.length <= maxChars) return `${first}${elided}${last}`
  const [head, tail] = fitted(first, last, maxChars)
  return `${head}${elided}${cutNotice(head, tail, text)}\n\n${tail}`
}

function fitted(first: string, last: string, maxChars: number): readonly [string, string] {
  const head = textBeginning(first, Math.max(Math.floor(maxChars / 4), maxChars - last.length))
  return [head, textEnd(last, maxChars - head.length)]
}

function cutNotice(head: string, tail: string, text: string): string {
  return capNotice(head.length + tail.length, text.length, 'read_full_notes reads the rest')
}

const PAGE_LINES = 200

/**
 * Lines of the notes, exactly as they are in the file: all pages, joined, are the notes. A page ends before it has
 * more than `maxChars` characters; only a single longer line is shown in part. Throws `invalid-input`.
 */
export function notesPage(text: string, { offset = 0, limit = PAGE_LINES }: NotesQuery, maxChars: number): NotesPage {
  if (!isWhole(offset, 0)) throw fault('offset', 'a whole number from 0 on')
  if (!isWhole(limit, 1)) throw fault('limit', 'a whole number from 1 on')
  const lines = wholeLines(text)
  const shown = fitting(lines.slice(offset, offset + limit), maxChars)
  const end = offset + shown.length
  return {
    text: shown.length === 1 ? capText(shown[0]!, { chars: maxChars, rest: moreBySetting }) : shown.join(''),
    offset,
    lines: shown.length,
    total: lines.length,
    next_offset: end < lines.length ? end : null,
  }
}

/** As many lines as fit, and at least one. */
function fitting(lines: readonly string[], maxChars: number): readonly string[] {
  let used = 0
  const over = lines.findIndex((line, place) => (used += line.length) > maxChars && place > 0)
  return over === -1 ? lines : lines.slice(0, over)
}

function isWhole(value: number, least: number): boolean {
  return Number.isSafeInteger(value) && value >= least
}

function fault(field: string, rule: string): SubjectError {
  return new SubjectError('invalid-input', `${field} must be ${rule}.`, { field })
}
