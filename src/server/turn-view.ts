import { type TurnView } from '../runtime.ts'
import { type Entry, type Usage } from '../session.ts'
import { messageText } from './message-text.ts'

/** A turn as its entries show it, settled or on its way. */
export function turnView(session: string, turn: string, entries: readonly Entry[]): TurnView {
  const calls: string[] = []
  const usages: Usage[] = []
  let outcome: TurnView['outcome']
  let text = ''
  for (const entry of entries) {
    if (entry.type === 'assembly') calls.push(entry.call)
    else if (entry.type === 'usage') usages.push(entry.usage)
    else if (entry.type === 'turn-end') outcome = entry.outcome
    else if (entry.type === 'message') text = messageText(entry.message) || text
  }
  return { session, turn, outcome, text, calls, totals: totals(calls.length, usages) }
}

/** Sums over the calls of a turn; unknown as soon as one of them is. */
export function totals(calls: number, usages: readonly Usage[]): TurnView['totals'] {
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
    if (number === undefined) return undefined
    total += number
  }
  return total
}
