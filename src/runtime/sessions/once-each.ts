import type { FileRow } from '../../session.ts'

/** Files that are the same, by what `sameBy` gives, as one: the first, with the other names that it goes by. */
export function onceEach(rows: readonly FileRow[], sameBy: (row: FileRow) => string): readonly FileRow[] {
  return Array.from(Map.groupBy(rows, sameBy).values(), (same) => {
    const [first, ...names] = new Set(same.map(({ name }) => name))
    return names.length === 0 ? same[0]! : { ...same[0]!, name: `${first}, also ${names.join(', ')}` }
  })
}
