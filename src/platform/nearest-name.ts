/** The one of `names` that a mistyped word most likely means, ignoring case; `undefined` where none is near. */
export function nearestName(word: string, names: readonly string[]): string | undefined {
  const wanted = word.toLowerCase()
  const ranked = names
    .map((name) => ({ name, steps: distance(wanted, name.toLowerCase()) }))
    .toSorted((one, other) => one.steps - other.steps)
  const best = ranked[0]
  return best !== undefined && best.steps <= Math.max(1, Math.floor(word.length / 2.5)) ? best.name : undefined
}

/** A hint for a mistyped word: `Did you mean NAME?`, else `otherwise`. `written` shows how to write the name. */
export function nearestHint(
  word: string,
  names: readonly string[],
  otherwise: string,
  written: (name: string) => string = (name) => name,
): string {
  const near = nearestName(word, names)
  return near === undefined ? otherwise : `Did you mean ${written(near)}?`
}

/** A name that begins with the word counts as one step, since the word may be incomplete. */
function distance(word: string, name: string): number {
  return name.startsWith(word) && name !== word && word.length > 1 ? 1 : editDistance(word, name)
}

/** Edit distance: how many letters to add, drop, change or swap with their neighbour to turn one word into the other. */
export function editDistance(from: string, to: string): number {
  let before: readonly number[] = []
  let above: readonly number[] = Array.from({ length: to.length + 1 }, (_, column) => column)
  for (let row = 1; row <= from.length; row += 1) {
    const line = [row]
    for (let column = 1; column <= to.length; column += 1) {
      const same = from[row - 1] === to[column - 1]
      const change = above[column - 1]! + (same ? 0 : 1)
      const swapped = row > 1 && column > 1 && from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1]
      const swap = swapped ? before[column - 2]! + 1 : Infinity
      line.push(Math.min(change, swap, above[column]! + 1, line[column - 1]! + 1))
    }
    before = above
    above = line
  }
  return above[to.length]!
}
