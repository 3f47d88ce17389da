/** The one of `names` that a mistyped word most likely meant, if any is near. */
export function nearestName(word: string, names: readonly string[]): string | undefined {
  const ranked = names
    .map((name) => ({ name, steps: name.startsWith(word) && word.length > 1 ? 1 : editSteps(word, name) }))
    .toSorted((one, other) => one.steps - other.steps)
  const best = ranked[0]
  return best !== undefined && best.steps <= Math.max(1, Math.floor(word.length / 2.5)) ? best.name : undefined
}

/** Letters to add, drop, change or swap with their neighbour until one word has become the other. */
function editSteps(from: string, to: string): number {
  const rows: number[][] = [Array.from({ length: to.length + 1 }, (_, column) => column)]
  for (let row = 1; row <= from.length; row++) {
    const line = [row]
    for (let column = 1; column <= to.length; column++) {
      const same = from[row - 1] === to[column - 1]
      const change = rows[row - 1]![column - 1]! + (same ? 0 : 1)
      const swapped = row > 1 && column > 1 && from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1]
      const swap = swapped ? rows[row - 2]![column - 2]! + 1 : Infinity
      line.push(Math.min(change, swap, rows[row - 1]![column]! + 1, line[column - 1]! + 1))
    }
    rows.push(line)
  }
  return rows[from.length]![to.length]!
}
