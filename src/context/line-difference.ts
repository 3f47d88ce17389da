/**
 * What changed between two texts, line by line: `- ` before lines that are gone, `+ ` before new ones, and a line of what
 * stayed around each place. `undefined` where that would save little against the whole new text. Pure.
 */
export function lineDifference(before: string, after: string): string | undefined {
  const old = before.split('\n')
  const now = after.split('\n')
  let start = 0
  while (start < old.length && start < now.length && old[start] === now[start]) start += 1
  let end = 0
  while (end < old.length - start && end < now.length - start && old.at(-1 - end) === now.at(-1 - end)) end += 1
  const gone = old.slice(start, old.length - end)
  const added = now.slice(start, now.length - end)
  if (gone.length * added.length > MOST_COMPARED) return undefined
  const steps = [
    ...old.slice(Math.max(0, start - CONTEXT), start).map(kept),
    ...stepsBetween(gone, added),
    ...old.slice(old.length - end, old.length - end + CONTEXT).map(kept),
  ]
  const text = aroundChanges(steps)
  return text.length <= after.length * WORTH ? text : undefined
}

/** Lines of one text times lines of the other: more take too long. */
const MOST_COMPARED = 4_000_000

/** Lines of what stayed on each side of a change. */
const CONTEXT = 1

/** A difference that is longer than this share of the new text is no help. */
const WORTH = 0.6

interface Step {
  readonly sign: ' ' | '-' | '+'
  readonly line: string
}

function kept(line: string): Step {
  return { sign: ' ', line }
}

/** The fewest lines out and in, by the longest run of lines that both have. */
function stepsBetween(old: readonly string[], now: readonly string[]): readonly Step[] {
  const width = now.length + 1
  const common = new Uint32Array((old.length + 1) * width)
  for (let at = old.length - 1; at >= 0; at--) {
    for (let to = now.length - 1; to >= 0; to--) {
      common[at * width + to] =
        old[at] === now[to]
          ? common[(at + 1) * width + to + 1]! + 1
          : Math.max(common[(at + 1) * width + to]!, common[at * width + to + 1]!)
    }
  }
  const steps: Step[] = []
  let at = 0
  let to = 0
  while (at < old.length || to < now.length) {
    if (at < old.length && to < now.length && old[at] === now[to]) {
      steps.push(kept(old[at]!))
      at += 1
      to += 1
    } else if (
      to === now.length ||
      (at < old.length && common[(at + 1) * width + to]! >= common[at * width + to + 1]!)
    ) {
      steps.push({ sign: '-', line: old[at++]! })
    } else {
      steps.push({ sign: '+', line: now[to++]! })
    }
  }
  return steps
}

/** Changes with the lines beside them; `…` where lines are left out between two places. */
function aroundChanges(steps: readonly Step[]): string {
  const shown: string[] = []
  let last = -1
  for (const [index, { sign, line }] of steps.entries()) {
    const near = steps.slice(Math.max(0, index - CONTEXT), index + CONTEXT + 1)
    if (near.every((step) => step.sign === ' ')) continue
    if (last !== -1 && index > last + 1) shown.push('…')
    shown.push(`${sign} ${line}`)
    last = index
  }
  return shown.join('\n')
}
