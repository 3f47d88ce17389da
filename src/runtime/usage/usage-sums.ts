import type { UsageSums } from '../../capability.ts'
import { callCost, type Price } from '../../context.ts'
import type { CallSum } from '../../session.ts'

/** Adds up calls. Money is added in the order of the calls. */
export interface UsageAdder {
  /** `price`: of the model, where it is known. */
  add(call: CallSum, price: Price | undefined): void
  /** One more waits for a budget. */
  wait(): void
  sums(): UsageSums
}

export function createUsageAdder(): UsageAdder {
  let [calls, unreported, unpriced, prompt, fresh, cached, written, output, money] = [0, 0, 0, 0, 0, 0, 0, 0, 0]
  let waiting = 0
  return {
    wait: () => void (waiting += 1),
    add(call, price) {
      const { promptTokens = 0, cachedTokens = 0, cacheWrittenTokens = 0, outputTokens = 0 } = call
      const { cacheWrittenLongerTokens } = call
      calls += 1
      if (call.promptTokens === undefined || call.outputTokens === undefined) unreported += 1
      else if (price === undefined) unpriced += 1
      else
        money += callCost(
          { promptTokens, cachedTokens, cacheWrittenTokens, cacheWrittenLongerTokens, outputTokens },
          price,
        )!
      prompt += promptTokens
      fresh += Math.max(0, promptTokens - cachedTokens - cacheWrittenTokens)
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
      output,
      ...(calls > unreported + unpriced ? { money } : {}),
      ...(waiting > 0 ? { waiting } : {}),
    }),
  }
}

/** The sum of rows whose calls are different ones. */
export function addUsage(rows: readonly UsageSums[]): UsageSums {
  const sum = (name: Exclude<keyof UsageSums, 'money' | 'waiting'>) => rows.reduce((all, row) => all + row[name], 0)
  const money = rows.flatMap((row) => row.money ?? [])
  return {
    calls: sum('calls'),
    unreported: sum('unreported'),
    unpriced: sum('unpriced'),
    prompt: sum('prompt'),
    fresh: sum('fresh'),
    cached: sum('cached'),
    written: sum('written'),
    output: sum('output'),
    ...(money.length === 0 ? {} : { money: money.reduce((all, each) => all + each, 0) }),
  }
}
