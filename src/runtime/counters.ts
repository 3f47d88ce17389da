import { smallCounters, type TokenCounter } from '../context.ts'

/** Finds a counter by id. Throws a `RangeError` that names the ids there are. */
export type Counters = (id: string) => Promise<TokenCounter>

/** The table of `o200k` takes tens of megabytes, so it is read only when somebody asks for it. */
export const counters: Counters = async (id) => {
  const found = smallCounters.find((counter) => counter.id === id)
  if (found) return found
  if (id === 'o200k') return (await import('../context/o200k.ts')).o200k
  const ids = [...smallCounters.map((counter) => counter.id), 'o200k']
  throw new RangeError(`There is no counter "${id}". Choose one of ${ids.join(', ')}.`)
}

/** A counter that remembers what the longest-lived texts cost: a system prompt is counted once, not at every step. */
export function remembering(counter: TokenCounter, capacity = 256): TokenCounter {
  const known = new Map<string, number>()
  return {
    ...counter,
    text(text) {
      if (text.length < 200) return counter.text(text)
      const before = known.get(text)
      if (before !== undefined) return before
      const tokens = counter.text(text)
      if (known.size >= capacity) known.delete(known.keys().next().value!)
      known.set(text, tokens)
      return tokens
    },
  }
}
