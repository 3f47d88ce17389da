import { callCost, inNanos, type Price } from '../context.ts'
import type { CallSum } from '../session.ts'

/** Adds up the usage of calls, and what they cost by the prices that it is handed. */
export function createUsageAdder() {
  let [calls, unreported, unpriced, prompt, fresh, cached, written, undivided, output, money] = [
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
  ]
  let waiting = 0
  return {
    wait: () => void (waiting += 1),
    add(call: Omit<CallSum, 'number'>, price: Price | undefined) {
      const { promptTokens = 0, cachedTokens = 0, cacheWrittenTokens = 0, outputTokens = 0 } = call
      const cost = callCost(call, price, call.time)
      calls += 1
      if (cost === undefined) unpriced += 1
      else money += inNanos(cost)
      if (call.promptTokens === undefined || call.outputTokens === undefined) unreported += 1
      const rest = Math.max(0, promptTokens - cachedTokens - cacheWrittenTokens)
      prompt += rest + cachedTokens + cacheWrittenTokens
      if (call.cachedTokens === undefined) undivided += rest
      else fresh += rest
      cached += cachedTokens
      written += cacheWrittenTokens
      output += outputTokens
    },
    sums: () => ({
      calls,
      unreported,
      unpriced,
      prompt,
      fresh,
      cached,
      written,
      undivided,
      output,
      ...(calls > unpriced ? { money: inNanos(money) } : {}),
      ...(waiting > 0 ? { waiting } : {}),
    }),
  }
}
