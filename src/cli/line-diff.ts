interface LineChange {
  readonly kind: 'same' | 'gone' | 'new'
  readonly line: string
}

const MOST_CHANGES = 2000

/** Lines that stayed, were removed and were added. Beyond `mostChanges` all between the first and the last change counts. */
export async function lineDiff(
  before: string,
  after: string,
  mostChanges = MOST_CHANGES,
): Promise<readonly LineChange[]> {
  const [old, now] = [linesOf(before), linesOf(after)]
  // Loaded late, because only a comparison needs it.
  const { diffArrays } = await import('diff')
  const changes = diffArrays([...old], [...now], { maxEditLength: mostChanges })
  if (changes === undefined) return coarseDiff(old, now)
  return changes.flatMap(({ value, added, removed }) => marked(added ? 'new' : removed ? 'gone' : 'same', value))
}

function linesOf(text: string): readonly string[] {
  return text === '' ? [] : text.replace(/\n$/, '').split('\n')
}

/** Only the common beginning and end count as the same. */
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

/** Unchanged lines that are shown on each side of a change. */
const CONTEXT = 3

const MARKS = { same: ' ', gone: '-', new: '+' } as const

/** A difference as text: each line with its mark. Unchanged lines far from a change appear only as their number. */
export function changedLines(changes: readonly LineChange[]): string {
  const lines: string[] = []
  let skipped = 0
  const near = nearChange(changes)
  const addSkipped = () => {
    if (skipped > 0) lines.push(`  [${skipped} unchanged ${skipped === 1 ? 'line' : 'lines'}]`)
    skipped = 0
  }
  for (const [index, { kind, line }] of changes.entries()) {
    if (!near.has(index)) {
      skipped += 1
      continue
    }
    addSkipped()
    lines.push(`${MARKS[kind]} ${line}`)
  }
  addSkipped()
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
