/** What a call costs, or may cost: nano-dollars and tokens, both whole numbers. */
export interface BudgetAmount {
  readonly nanos: number
  readonly tokens: number
}

/** One budget that a call has to fit into. */
export interface BudgetCheck {
  /** The account that is held to the limit: what is counted, and in which period. */
  readonly account: string
  readonly unit: keyof BudgetAmount
  readonly limit: number
  /** Share of the limit at which somebody is warned, once for each account and limit. */
  readonly warnAt: number
}

/** An account as it is, in the unit of one budget. */
export interface BudgetState {
  readonly spent: number
  /** Held for calls that run. */
  readonly held: number
  /** Of what was spent: counted from calls in the log, which nothing was held for. */
  readonly earlier: number
  /** The limit with what a person has added to it for this period. */
  readonly limit: number
}

/** A budget that a call could pass, with what is left of it. */
export type PassedBudget = BudgetCheck & BudgetState

/** What a person allowed: this call whatever is left, or limits that were raised to so much. It counts once. */
export interface BudgetGrant {
  readonly approval: string
  readonly once: boolean
  readonly raises: readonly { readonly account: string; readonly unit: keyof BudgetAmount; readonly to: number }[]
}

export interface CountedCall {
  readonly call: string
  /** ISO 8601. */
  readonly time: string
  readonly cost: BudgetAmount
}

/** What a call may cost at most, and the budgets that apply to it. */
export interface BudgetHold {
  /** Names the hold; a call that is made again has another one. */
  readonly id: string
  /** The call in the log. It counts once in each account, by its hold or by the log. */
  readonly call: string
  /** ISO 8601. */
  readonly time: string
  readonly most: BudgetAmount
  readonly checks: readonly BudgetCheck[]
  readonly grant?: BudgetGrant | undefined
}

/** `passed` is not empty where nothing is held. `warned`: budgets that came to their warning with this hold. */
export interface HoldResult {
  readonly passed: readonly PassedBudget[]
  readonly warned: readonly PassedBudget[]
}

/**
 * What has been spent of budgets, on disk before a call leaves. Everything is one transaction over all budgets of the call, so that
 * two calls, or two processes, never get the same money. In a database nothing of a process that lost its store is written any more.
 * Failures are `StoreError`s.
 */
export interface BudgetLedger {
  /** Holds what the call may cost at most in every account, or nothing where one of them has too little left. */
  hold(hold: BudgetHold): Now<HoldResult>
  /** Replaces what is held by what the call has cost. Absent: that is unknown, and what was held counts as spent. */
  settle(id: string, cost?: BudgetAmount): Now<void>
  /** Counts calls that are over in an account, where they do not count in it already. `earlier`: they are from the log. */
  count(account: string, calls: readonly CountedCall[], earlier: boolean): Now<void>
  /** The call was refused before it was read: nothing is spent, and the grant that it used counts again. */
  release(id: string): Now<void>
  /**
   * Counts what a former process held as spent, since its calls can have cost that much. Returns the ids of these holds. Estimates
   * of before `forgetBefore` (ISO 8601) are not corrected any more. `member`: only holds of this person, as `memberHold` names them;
   * absent: only those of nobody in particular.
   */
  recover(forgetBefore: string, member?: string): Now<readonly string[]>
  state(check: Pick<BudgetCheck, 'account' | 'unit' | 'limit'>): Now<BudgetState>
  close(): void
}

/** In place of a member in `recover`: each of them. */
export const anyMember = '%'

/** The id of a hold of one of those who share an account. */
export const memberHold = (member: string, id: string): string => `${member} ${id}`

/** At once in a file, and after an answer of a database. */
type Now<Result> = Result | Promise<Result>
