import type { BudgetPeriod } from '../../session.ts'

/** A configured budget, and what is left of it. Amounts are in its unit. */
export interface BudgetReport {
  /** For people, such as `the day of agent ada`. */
  readonly name: string
  readonly per: BudgetPeriod
  readonly unit: 'usd' | 'tokens'
  readonly agent?: string
  readonly token?: string
  readonly channel?: string
  /** All members of this group share it. */
  readonly group?: string
  /** The day or the month that is counted, such as `2026-01-31`; absent for a budget of each session or turn. */
  readonly period?: string
  /** With what a person has added for this period. */
  readonly limit: number
  /** Share of the limit at which the operator is warned. */
  readonly warnAt: number
  /** Absent for a budget of each session or turn and, in the home of a person, for one that others share; as the next three. */
  readonly spent?: number
  /** Of what was spent: from calls before there was this budget, by the log. Absent where that is nothing. */
  readonly earlier?: number
  /** For calls that run. */
  readonly held?: number
  readonly left?: number
}
