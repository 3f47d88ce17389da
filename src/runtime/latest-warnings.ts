const MOST_WARNINGS = 100

/**
 * Begins with what was known before the start. Equal warnings are one, with a count. `tell` hears each the first time, and again the
 * 10th, 100th and 1,000th time.
 */
export function createLatestWarnings(
  before: readonly string[],
  redact: (text: string) => string,
  tell: (text: string) => void = () => {},
) {
  const counts = new Map(before.map((text) => [redact(text), 1]))
  return {
    warn(said: string) {
      const text = redact(said)
      const count = (counts.get(text) ?? 0) + 1
      counts.delete(text)
      counts.set(text, count)
      if (counts.size > MOST_WARNINGS) counts.delete(counts.keys().next().value!)
      if (Number.isInteger(Math.log10(count))) tell(counted(text, count))
    },
    sentences: () => [...counts].map(([text, count]) => counted(text, count)),
  }
}

function counted(text: string, count: number): string {
  return count === 1 ? text : `${text} (${count} times)`
}
