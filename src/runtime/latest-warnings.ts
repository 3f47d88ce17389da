const MOST_WARNINGS = 100

/** Begins with what was known before the start. `tell` hears each warning as it comes. */
export function createLatestWarnings(
  before: readonly string[],
  redact: (text: string) => string,
  tell: (text: string) => void = () => {},
) {
  const latest = new Set<string>(before.map(redact))
  return {
    warn(said: string) {
      const text = redact(said)
      latest.delete(text)
      latest.add(text)
      if (latest.size > MOST_WARNINGS) latest.delete(latest.values().next().value!)
      tell(text)
    },
    sentences: () => latest,
  }
}
