export interface LatestWarnings {
  warn(said: string): void
  /** The newest of them, each once. */
  sentences(): Iterable<string>
}

/** Sentences that `status` shows. */
const MOST_WARNINGS = 100

/** Begins with what was known before the start. `tell` hears each warning as it comes. */
export function createLatestWarnings(
  before: readonly string[],
  redact: (text: string) => string,
  tell: (text: string) => void = () => {},
): LatestWarnings {
  const latest = new Set<string>(before.map(redact))
  return {
    warn(said) {
      const text = redact(said)
      latest.delete(text)
      latest.add(text)
      if (latest.size > MOST_WARNINGS) latest.delete(latest.values().next().value!)
      tell(text)
    },
    sentences: () => latest,
  }
}
