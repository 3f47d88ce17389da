import { linesOf } from './lines.ts'
import type { Conflict } from './subject-context.ts'

/** A genre's name and text. */
export type Genre = readonly [name: string, text: string]

/**
 * Lines that are in two or more files, in the order in which they are first seen. Ends of lines and spaces around them
 * make no difference; blank lines, those that begin with `#`, and those of punctuation alone say nothing (BEHAVIOURS §4).
 */
export function tasteConflicts(genres: readonly Genre[]): readonly Conflict[] {
  const files = new Map<string, Set<string>>()
  for (const [name, text] of genres) {
    for (const point of linesOf(text).map((line) => line.trim())) {
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
