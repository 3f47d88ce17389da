export interface LineChange {
  readonly kind: 'same' | 'gone' | 'new'
  readonly line: string
}

/** The lines of two texts side by side: what stayed, what went and what came, in reading order. */
export function lineDiff(before: string, after: string): readonly LineChange[] {
  const old = linesOf(before)
  const now = linesOf(after)
  const common = commonLengths(old, now)
  const changes: LineChange[] = []
  let from = 0
  let to = 0
  while (from < old.length || to < now.length) {
    if (from < old.length && to < now.length && old[from] === now[to]) {
      changes.push({ kind: 'same', line: old[from]! })
      from += 1
      to += 1
    } else if (to >= now.length || (from < old.length && common[from + 1]![to]! >= common[from]![to + 1]!)) {
      changes.push({ kind: 'gone', line: old[from]! })
      from += 1
    } else {
      changes.push({ kind: 'new', line: now[to]! })
      to += 1
    }
  }
  return changes
}

function linesOf(text: string): readonly string[] {
  return text === '' ? [] : text.replace(/\n$/, '').split('\n')
}

/** Length of the longest common sequence of lines from each pair of places on. */
function commonLengths(old: readonly string[], now: readonly string[]): readonly (readonly number[])[] {
  const lengths = Array.from({ length: old.length + 1 }, () => Array.from({ length: now.length + 1 }, () => 0))
  for (let from = old.length - 1; from >= 0; from--) {
    for (let to = now.length - 1; to >= 0; to--) {
      lengths[from]![to] =
        old[from] === now[to]
          ? lengths[from + 1]![to + 1]! + 1
          : Math.max(lengths[from + 1]![to]!, lengths[from]![to + 1]!)
    }
  }
  return lengths
}
