import {
  assemble,
  type Assembly,
  type AssemblyInput,
  ContextOverflowError,
  smallCounters,
  type TokenCounter,
  verbatim,
  type VerbatimAssembly,
  type VerbatimInput,
} from '../../context.ts'
import { type Clock, inSlices } from '../../platform.ts'

/** Finds a counter by id. Throws a `RangeError` that lists the known ids. */
export type Counters = (id: string) => Promise<TokenCounter>

/** Names a counter with its version: numbers of another one are counted again. */
export function counterKey({ id, version }: TokenCounter): string {
  return `${id}@${version}`
}

/** Loads the table of `o200k` only when that counter is requested: it needs tens of megabytes. */
export const findCounter: Counters = async (id) => {
  const found = smallCounters.find((counter) => counter.id === id)
  if (found) return found
  if (id === 'o200k') return (await import('../../context/o200k.ts')).o200k
  const ids = [...smallCounters.map((counter) => counter.id), 'o200k']
  throw new RangeError(`Unknown counter "${id}". Use one of: ${ids.join(', ')}.`)
}

/** Of one text that is remembered, characters: what is longer has its count stored with it. */
const LONGEST = 6_000_000
const ALL = 16_000_000

/** A counter that remembers what the longest-lived texts cost: a system prompt is counted once, not at every step. */
export function rememberCounts(counter: TokenCounter, capacity = 256): TokenCounter {
  const known = new Map<string, number>()
  let characters = 0

  function put(text: string, tokens: number): void {
    if (text.length > LONGEST || known.has(text)) return
    known.set(text, tokens)
    characters += text.length
    while (known.size > capacity || characters > ALL) {
      const oldest = known.keys().next().value!
      known.delete(oldest)
      characters -= oldest.length
    }
  }

  const base = counter.slices
  return {
    ...counter,
    text(text) {
      if (text.length < 200) return counter.text(text)
      const before = known.get(text)
      if (before !== undefined) return before
      const tokens = counter.text(text)
      put(text, tokens)
      return tokens
    },
    ...(base && {
      *slices(text: string) {
        const before = known.get(text)
        if (before !== undefined) return yield before
        let tokens = 0
        for (const slice of base(text)) {
          tokens += slice
          yield slice
        }
        put(text, tokens)
      },
    }),
  }
}

/** Characters. What is shorter is counted at once. */
const LONG = 65_536

/** What `count` answers, with long texts counted in slices: it is asked to learn which, and again with the numbers. */
export async function countInSlices<Result>(
  clock: Clock,
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
    await inSlices(clock, counter.slices(text), (tokens) => long.set(text, long.get(text)! + tokens))
  }
  return count({ ...counter, text: (text) => long.get(text) ?? counter.text(text) })
}

/** Tokens of one text, counted in slices. */
export function textTokens(clock: Clock, counter: TokenCounter, text: string): Promise<number> {
  return countInSlices(clock, counter, (each) => each.text(text))
}

/** Assembles, and counts long texts without keeping others waiting. */
export function assembleInSlices(clock: Clock, input: AssemblyInput): Promise<Assembly | ContextOverflowError> {
  return countInSlices(clock, input.counter, (counter) => orOverflow(() => assemble({ ...input, counter })))
}

function orOverflow<Outcome>(account: () => Outcome): Outcome | ContextOverflowError {
  try {
    return account()
  } catch (error) {
    if (error instanceof ContextOverflowError) return error
    throw error
  }
}

/** Accounts for a call, and counts long texts without keeping others waiting; an overflow is an answer too. */
export function verbatimInSlices(clock: Clock, input: VerbatimInput): Promise<VerbatimAssembly | ContextOverflowError> {
  return countInSlices(clock, input.counter, (counter) => orOverflow(() => verbatim({ ...input, counter })))
}
