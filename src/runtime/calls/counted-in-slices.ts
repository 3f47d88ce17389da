import type { TokenCounter } from '../../context.ts'
import { inSlices } from '../../platform.ts'

/** Characters. What is shorter is counted at once. */
const LONG = 65_536

/**
 * What `count` answers, without keeping anybody waiting where it counts long texts: it is asked once to learn which these
 * are, they are counted in slices, and it is asked again with the numbers. `count` counts the same texts each time.
 */
export async function countedInSlices<Result>(
  counter: TokenCounter,
  count: (counter: TokenCounter) => Result,
): Promise<Result> {
  if (!counter.slices) return count(counter)
  const long = new Map<string, number>()
  const first = count({
    ...counter,
    text(text) {
      if (text.length < LONG) return counter.text(text)
      long.set(text, 0)
      return 0
    },
  })
  if (long.size === 0) return first
  for (const text of long.keys()) {
    await inSlices(counter.slices(text), (tokens) => long.set(text, long.get(text)! + tokens))
  }
  return count({ ...counter, text: (text) => long.get(text) ?? counter.text(text) })
}

/** Tokens of one text, counted in slices. */
export function textTokens(counter: TokenCounter, text: string): Promise<number> {
  return countedInSlices(counter, (each) => each.text(text))
}
