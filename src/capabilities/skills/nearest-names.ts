/** How many names are offered in the place of one that there is not. */
const NEAREST = 5

/** The names that are most like a text, best first: those that share the most runs of three letters. */
export function nearestNames(text: string, names: readonly string[]): readonly string[] {
  const wanted = runsOf(text)
  return names
    .map((name) => {
      const runs = runsOf(name)
      const shared = [...runs].filter((run) => wanted.has(run)).length
      return { name, likeness: (2 * shared) / (runs.size + wanted.size) }
    })
    .filter(({ likeness }) => likeness > 0.1)
    .toSorted((one, other) => other.likeness - one.likeness)
    .slice(0, NEAREST)
    .map(({ name }) => name)
}

function runsOf(text: string): ReadonlySet<string> {
  const padded = `  ${text.toLowerCase().slice(0, 200)} `
  return new Set(Array.from({ length: padded.length - 2 }, (_, at) => padded.slice(at, at + 3)))
}
