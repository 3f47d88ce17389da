import { splitLines, wholeLines } from './lines.ts'
import type { Brief, Conflict } from './subjects.ts'

/**
 * The last line that reads `Tastes:` counts, all such lines leave the intent, and the intent is trimmed (BEHAVIOURS
 * §4). Names are kept as written; invalid ones are among them and never become a path.
 */
export function readBrief(raw: string): Brief {
  const lines = wholeLines(raw)
  const declared = lines.map(declaration)
  return {
    raw,
    intent: lines
      .filter((_, place) => declared[place] === undefined)
      .join('')
      .trim(),
    tastes: namesIn(declared.findLast((value) => value !== undefined) ?? ''),
  }
}

/** What follows `Tastes:`, `**Tastes:**` or `**Tastes**:`; `undefined` for any other line. */
function declaration(line: string): string | undefined {
  const found = /^(?:\s|\*\*)*tastes(?:\*\*)?:(?:\*\*)?/i.exec(line)
  return found === null ? undefined : line.slice(found[0].length)
}

/** `[a, "b", 'c']`, `a, b, c`, or `"a, b, c"` in one pair of quotes. */
function namesIn(value: string): readonly string[] {
  const list = without(without(value.trim(), '', '**').trim(), '[', ']').trim()
  const inner = unquoted(list)
  // Of `"a", "b"` the outer quotes are no pair.
  return (inner.includes(list.charAt(0)) ? list : inner)
    .split(',')
    .map((name) => unquoted(name.trim()).trim())
    .filter((name) => name !== '')
}

function unquoted(name: string): string {
  const quote = name.charAt(0)
  const isQuoted = name.length > 1 && (quote === '"' || quote === "'") && name.endsWith(quote)
  return isQuoted ? name.slice(1, -1) : name
}

function without(text: string, start: string, end: string): string {
  return text.startsWith(start) && text.endsWith(end) ? text.slice(start.length, text.length - end.length) : text
}

/** A genre's name and text. */
export type Genre = readonly [name: string, text: string]

/**
 * Lines that are in two or more files, in the order in which they are first seen. Ends of lines and spaces around
 * them make no difference; blank lines, those that begin with `#`, and those of punctuation alone are ignored
 * (BEHAVIOURS §4).
 */
export function tasteConflicts(genres: readonly Genre[]): readonly Conflict[] {
  const files = new Map<string, Set<string>>()
  for (const [name, text] of genres) {
    for (const point of splitLines(text).map((line) => line.trim())) {
      if (saysNothing(point)) continue
      const standing = files.get(point) ?? new Set()
      files.set(point, standing.add(name))
    }
  }
  return [...files].filter(([, names]) => names.size > 1).map(([point, names]) => ({ point, files: [...names] }))
}

/** Rulers, fences and the like. A line that begins with `#` is a heading or a comment. */
function saysNothing(line: string): boolean {
  return line.startsWith('#') || /^[\p{P}\s$+<=>^`|~]*$/u.test(line)
}
