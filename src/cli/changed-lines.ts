import type { LineChange } from './line-diff.ts'

/** Unchanged lines that are shown on both sides of a change. */
const CONTEXT = 3

const MARKS = { same: ' ', gone: '-', new: '+' } as const

/** A difference as text: each line with its mark, unchanged lines far from any change only as their number. */
export function changedLines(changes: readonly LineChange[]): string {
  const lines: string[] = []
  let skipped = 0
  const near = nearChange(changes)
  const tellSkipped = () => {
    if (skipped > 0) lines.push(`  [${skipped} unchanged ${skipped === 1 ? 'line' : 'lines'}]`)
    skipped = 0
  }
  for (const [index, { kind, line }] of changes.entries()) {
    if (!near.has(index)) {
      skipped += 1
      continue
    }
    tellSkipped()
    lines.push(`${MARKS[kind]} ${line}`)
  }
  tellSkipped()
  return lines.join('\n')
}

function nearChange(changes: readonly LineChange[]): ReadonlySet<number> {
  const near = new Set<number>()
  for (const [index, { kind }] of changes.entries()) {
    if (kind === 'same') continue
    for (let each = index - CONTEXT; each <= index + CONTEXT; each++) near.add(each)
  }
  return near
}
