import type { KnownSecrets } from '../platform.ts'

const MOST_WARNINGS = 100

/**
 * Begins with what was known before the start. Equal warnings are one, with a count. `warn` hears each the first time, and again the
 * 10th, 100th and 1,000th time.
 */
export function createLatestWarnings({
  warnings: before = [],
  secrets,
  warn: tell = () => {},
}: {
  readonly warnings?: readonly string[]
  readonly secrets?: Pick<KnownSecrets, 'redact'>
  readonly warn?: (text: string) => void
}) {
  const redact = (text: string): string => secrets?.redact(text) ?? text
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
    /** Those of others, which last as long as their cause does, and these behind them; each once. */
    with: (others: readonly string[]) => [
      ...new Set([...others.map(redact), ...[...counts].map(([text, count]) => counted(text, count))]),
    ],
  }
}

function counted(text: string, count: number): string {
  return count === 1 ? text : `${text} (${count} times)`
}
