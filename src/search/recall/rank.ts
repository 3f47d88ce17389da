import { type NumberRange, REACH } from './tables.ts'

/** The passages that contain a word of the question, and the weight of the word. */
export interface WordRows {
  /** Ascending. */
  readonly numbers: readonly number[]
  /** Its inverse document frequency. */
  readonly worth: number
  /** For a date: all passages from then, ascending. It counts only in them, not beside them. */
  readonly spans?: readonly NumberRange[]
}

/** A passage with the total weight of the words in and around it. */
export interface PassageCandidate {
  readonly number: number
  readonly score: number
  /** Bit n is set if the passage or a neighbour contains the nth word. */
  readonly words: number
}

/** The most words of one question: bits of a number. */
export const MOST_WORDS = 31

/** Weight of a word in the passage itself, next to it, and two passages away: a question is often beside its answer. */
const WORTH_BY_DISTANCE = [1, 0.5, 0.25] as const

/**
 * The `limit` passages with the highest weight of words in and around them, best first, of equals the newest. Each word
 * counts once, where it is nearest, so that repeated words gain nothing. How often a passage contains a word does not
 * matter: passages are short.
 */
export function rankPassages(
  words: readonly WordRows[],
  limit: number,
  reach: number = REACH,
): readonly PassageCandidate[] {
  const numbers = unique(words)
  const masks = wordMasks(numbers, words)
  const turnWorth = worths(words)
  const dated = words.flatMap(({ spans }, word) => (spans ? [{ mask: 1 << word, isWithin: spanReader(spans) }] : []))
  let best: PassageCandidate[] = []
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
      for (const { mask, isWithin } of dated) if (isWithin(number)) around[0]! |= mask
      const score = totalScore(around, turnWorth)
      if (score < floor) continue
      best.push({ number, score, words: around[0]! | around[1]! | around[2]! })
      if (best.length < 4 * limit) continue
      best = bestFirst(best).slice(0, limit)
      floor = best.at(-1)!.score
    }
  }
  return bestFirst(best).slice(0, limit)
}

function totalScore([own = 0, near = 0, far = 0]: readonly number[], turnWorth: (words: number) => number): number {
  const beside = near & ~own
  const [whole, half, quarter] = WORTH_BY_DISTANCE
  return whole * turnWorth(own) + half * turnWorth(beside) + quarter * turnWorth(far & ~own & ~beside)
}

/** Tests ascending numbers for being in a span. */
function spanReader(spans: readonly NumberRange[]): (number: number) => boolean {
  let at = 0
  return (number) => {
    while (at < spans.length && spans[at]!.last < number) at += 1
    return at < spans.length && spans[at]!.first <= number
  }
}

function bestFirst(candidates: readonly PassageCandidate[]): PassageCandidate[] {
  return candidates.toSorted((a, b) => b.score - a.score || b.number - a.number)
}

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

/** For each number a mask of the words in its passage. */
function wordMasks(all: Float64Array, words: readonly WordRows[]): Int32Array {
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
