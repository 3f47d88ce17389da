import { type NumberRange, REACH } from './numbering.ts'

/** Where a word of the question was found, and what it is worth there. */
export interface WordRows {
  /** Ascending. */
  readonly numbers: readonly number[]
  /** Its inverse document frequency. */
  readonly worth: number
  /** Of a date: all passages that were said then, ascending. It counts in them alone, and not beside them. */
  readonly spans?: readonly NumberRange[]
}

/** A passage with what the words in and around it are worth together. */
export interface Candidate {
  readonly number: number
  readonly score: number
  /** Bit n is set where the passage or a neighbour holds the nth word. */
  readonly words: number
}

/** Words that are looked for at the same time: bits of a number. */
export const MOST_WORDS = 31

/** What a word is worth in the passage itself, next to it, and two passages away: what was asked stands beside its answer. */
const WORTH_BY_DISTANCE = [1, 0.5, 0.25] as const

/**
 * The `limit` passages around which the words of a question are worth most, best first, and of equals the newest. Each word
 * counts once, where it is nearest: passages that repeat each other's words gain nothing by it. How often a passage holds a
 * word does not matter: passages are short.
 */
export function ranked(words: readonly WordRows[], limit: number, reach: number = REACH): readonly Candidate[] {
  const numbers = unique(words)
  const masks = masksOf(numbers, words)
  const worthOf = worths(words)
  const said = words.flatMap(({ spans }, word) => (spans ? [{ mask: 1 << word, within: walking(spans) }] : []))
  let best: Candidate[] = []
  let floor = 0
  let low = 0
  let last = -1
  for (let index = 0; index < numbers.length; index += 1) {
    const from = Math.max(last + 1, numbers[index]! - reach)
    last = numbers[index]! + reach
    for (let number = from; number <= last; number += 1) {
      while (numbers[low]! < number - reach) low += 1
      const around = [0, 0, 0]
      for (let at = low; at < numbers.length && numbers[at]! <= number + reach; at += 1) {
        around[Math.abs(numbers[at]! - number)]! |= masks[at]!
      }
      for (const { mask, within } of said) if (within(number)) around[0]! |= mask
      const score = scoreOf(around, worthOf)
      if (score < floor) continue
      best.push({ number, score, words: around[0]! | around[1]! | around[2]! })
      if (best.length < 4 * limit) continue
      best = bestFirst(best).slice(0, limit)
      floor = best.at(-1)!.score
    }
  }
  return bestFirst(best).slice(0, limit)
}

function scoreOf([own = 0, near = 0, far = 0]: readonly number[], worthOf: (words: number) => number): number {
  const beside = near & ~own
  const [whole, half, quarter] = WORTH_BY_DISTANCE
  return whole * worthOf(own) + half * worthOf(beside) + quarter * worthOf(far & ~own & ~beside)
}

/** Tells of ascending numbers whether they are in a span. */
function walking(spans: readonly NumberRange[]): (number: number) => boolean {
  let at = 0
  return (number) => {
    while (at < spans.length && spans[at]!.last < number) at += 1
    return at < spans.length && spans[at]!.first <= number
  }
}

function bestFirst(candidates: readonly Candidate[]): Candidate[] {
  return candidates.toSorted((a, b) => b.score - a.score || b.number - a.number)
}

/** What the words of a mask are worth together. */
function worths(words: readonly WordRows[]): (mask: number) => number {
  const known = new Map<number, number>([[0, 0]])
  return (mask) => {
    const before = known.get(mask)
    if (before !== undefined) return before
    const sum = words.reduce((worth, word, index) => worth + (mask & (1 << index) ? word.worth : 0), 0)
    known.set(mask, sum)
    return sum
  }
}

function unique(words: readonly WordRows[]): Float64Array {
  const all = new Float64Array(words.reduce((sum, { numbers }) => sum + numbers.length, 0))
  let at = 0
  for (const { numbers } of words) {
    all.set(numbers, at)
    at += numbers.length
  }
  all.sort()
  let count = 0
  for (const number of all) if (count === 0 || all[count - 1] !== number) all[count++] = number
  return all.subarray(0, count)
}

/** For each number, which words its passage holds. */
function masksOf(all: Float64Array, words: readonly WordRows[]): Int32Array {
  const masks = new Int32Array(all.length)
  words.forEach(({ numbers, spans }, word) => {
    if (spans) return
    let at = 0
    for (const number of numbers) {
      while (all[at]! < number) at += 1
      masks[at]! |= 1 << word
    }
  })
  return masks
}
