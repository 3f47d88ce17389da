import { groupDigits } from '../reading-limits.ts'
import type { Archive } from './zip-archive.ts'

/** Parts of a file that its text does not have: each counts once, or as often as `each` is found in it. */
type MissingParts = Readonly<Record<string, { readonly names: RegExp; readonly each?: RegExp }>>

/** Counts what is in a document and not in its text: parts of the file by their names, and elements that are not known. */
export function missingParts(archive: Archive, parts: MissingParts) {
  const counts = new Map<string, number>()
  const add = (what: string, more = 1) => void (more > 0 && counts.set(what, (counts.get(what) ?? 0) + more))
  for (const [what, { names, each }] of Object.entries(parts)) {
    for (const name of archive.names) {
      if (names.test(name)) add(what, each ? (archive.textOf(name)?.match(each)?.length ?? 0) : 1)
    }
  }
  return {
    /** Counts an element by its name. */
    add,
    /** A last line for the text; none where nothing is missing. */
    note(): readonly string[] {
      if (counts.size === 0) return []
      return [`(not in this text: ${[...counts].map(([what, count]) => `${groupDigits(count)} × ${what}`).join(', ')})`]
    },
  }
}
