interface LineChange {
  readonly kind: 'same' | 'gone' | 'new'
  readonly line: string
}

/** Changed lines that a difference is worked out for: beyond that the time grows with their square, and nobody reads it. */
const MOST_CHANGES = 2000

/**
 * The lines of two texts side by side: what stayed, what went and what came, in reading order. With more than
 * `mostChanges` changed lines, everything between the first and the last change is one that went and one that came.
 */
export async function lineDiff(
  before: string,
  after: string,
  mostChanges = MOST_CHANGES,
): Promise<readonly LineChange[]> {
  const [old, now] = [linesOf(before), linesOf(after)]
  // Loaded late: only who compares texts needs it.
  const { diffArrays } = await import('diff')
  const changes = diffArrays([...old], [...now], { maxEditLength: mostChanges })
  if (changes === undefined) return coarseDiff(old, now)
  return changes.flatMap(({ value, added, removed }) => marked(added ? 'new' : removed ? 'gone' : 'same', value))
}

function linesOf(text: string): readonly string[] {
  return text === '' ? [] : text.replace(/\n$/, '').split('\n')
}

/** Only what both begin and end with counts as the same. */
function coarseDiff(old: readonly string[], now: readonly string[]): readonly LineChange[] {
  const most = Math.min(old.length, now.length)
  let first = 0
  while (first < most && old[first] === now[first]) first += 1
  let last = 0
  while (last < most - first && old.at(-1 - last) === now.at(-1 - last)) last += 1
  return [
    ...marked('same', old.slice(0, first)),
    ...marked('gone', old.slice(first, old.length - last)),
    ...marked('new', now.slice(first, now.length - last)),
    ...marked('same', old.slice(old.length - last)),
  ]
}

function marked(kind: LineChange['kind'], lines: readonly string[]): readonly LineChange[] {
  return lines.map((line) => ({ kind, line }))
}

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
