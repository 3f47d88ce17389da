import { type TurnTotals } from '../runtime.ts'
import { type Usage } from '../session.ts'

/** What the calls of a turn cost together; unknown as soon as one of them is. */
export function billed(calls: number, usages: readonly Usage[]): TurnTotals {
  return {
    calls,
    promptTokensBilled: sum(usages.map((usage) => usage.promptTokens)),
    cachedTokensBilled: sum(usages.map((usage) => usage.cachedTokens)),
    outputTokensBilled: sum(usages.map((usage) => usage.outputTokens)),
  }
}

function sum(numbers: readonly (number | undefined)[]): number | undefined {
  if (numbers.length === 0) return undefined
  let total = 0
  for (const number of numbers) {
    if (typeof number !== 'number') return undefined
    total += number
  }
  return total
}
