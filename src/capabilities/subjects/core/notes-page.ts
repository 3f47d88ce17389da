import { wholeLines } from './lines.ts'
import { SubjectError } from './subject-error.ts'
import type { NotesPage, NotesQuery } from './subjects.ts'
import { capText, moreBySetting } from './text-cap.ts'

/** Lines of a page unless a query says how many. */
const PAGE_LINES = 200

/**
 * Some lines of the notes, exactly as they are in the file: all pages, joined, are the notes. A page ends before it has more
 * than `maxChars` characters; only a single line that is longer than that is shown in part.
 *
 * @throws SubjectError `invalid-input`
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

/** As many lines as there is room for, and one at least. */
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
