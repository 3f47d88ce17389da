/** How much may be spent: US dollars, or tokens of prompts and answers together. */
export type BudgetLimit = { readonly usd: number } | { readonly tokens: number }

/** The time or the work after which a budget is full again. */
export type BudgetPeriod = 'turn' | 'session' | 'day' | 'month'

/** A limit that comes with one input and holds besides those of the configuration. */
export interface InputBudget {
  readonly limit: BudgetLimit
  /** Of this turn alone where absent. */
  readonly per?: BudgetPeriod
  /** Whose budget it is, such as `schedule/ID`: inputs of one owner share a limit. Absent: of this turn alone, whatever `per` is. */
  readonly owner?: string
}

/** What is wrong with a limit, as the end of a sentence; `undefined` where it can be held to. */
export function budgetLimitFault(limit: BudgetLimit): string | undefined {
  if ('usd' in limit) {
    const { usd } = limit
    return Number.isFinite(usd) && usd >= 0 && usd <= MOST_USD
      ? undefined
      : `usd must be a number from 0 to ${MOST_USD}`
  }
  const { tokens } = limit
  return Number.isSafeInteger(tokens) && tokens >= 0 ? undefined : 'tokens must be a whole number that is not negative'
}

/** More is not an exact number of nano-dollars. */
const MOST_USD = 1_000_000
