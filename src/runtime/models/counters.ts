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

/** Characters. What is shorter is counted at once. */
const LONG = 65_536
/** Of one text that is remembered, characters: what is longer has its count stored with it. */
const LONGEST = 6_000_000
const ALL = 16_000_000

/** A counter that remembers what the longest-lived texts cost: a system prompt is counted once, not at every step. */
export function rememberCounts(counter: TokenCounter, capacity = 256): TokenCounter {
  const known = new Map<string, number>()
  // Compared one by one: a map copies all of a text that is its key.
  let long: readonly CountedText[] = []
  let characters = 0

  function find(text: string): number | undefined {
    return text.length < LONG ? known.get(text) : countIn(long, text)
  }

  function put(text: string, tokens: number): void {
    if (text.length > LONGEST || find(text) !== undefined) return
    if (text.length < LONG) known.set(text, tokens)
    else long = [...long, { text, tokens }]
    characters += text.length
    while (known.size > capacity || characters > ALL) {
      const isFull = characters > ALL && long.length > 0
      const oldest = isFull ? long[0]!.text : known.keys().next().value!
      if (isFull) long = long.slice(1)
      else known.delete(oldest)
      characters -= oldest.length
    }
  }

  const base = counter.slices
  return {
    ...counter,
    text(text) {
      if (text.length < 200) return counter.text(text)
      const before = find(text)
      if (before !== undefined) return before
      const tokens = counter.text(text)
      put(text, tokens)
      return tokens
    },
    ...(base && {
      *slices(text: string) {
        const before = find(text)
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

interface CountedText {
  readonly text: string
  readonly tokens: number
}

function countIn(texts: readonly CountedText[], text: string): number | undefined {
  return texts.find((each) => each.text === text)?.tokens
}

/** What `count` answers, with long texts counted in slices: it is asked to learn which, and again with the numbers. */
export async function countInSlices<Result>(
  clock: Clock,
  counter: TokenCounter,
  count: (counter: TokenCounter) => Result,
): Promise<Result> {
  if (!counter.slices) return count(counter)
  const long: string[] = []
  const first = count({
    ...counter,
    text(text) {
      if (text.length < LONG) return counter.text(text)
      long.push(text)
      return 0
    },
  })
  if (long.length === 0) return first
  const counted: CountedText[] = []
  for (const text of long) {
    if (countIn(counted, text) !== undefined) continue
    let tokens = 0
    await inSlices(clock, counter.slices(text), (slice) => (tokens += slice))
    counted.push({ text, tokens })
  }
  // The first time framed long texts, and so does the second.
  await clock.yield()
  return count({
    ...counter,
    text: (text) => (text.length < LONG ? undefined : countIn(counted, text)) ?? counter.text(text),
  })
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
