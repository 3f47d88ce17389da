import type { TurnOutcome } from '../../session.ts'
import type { UsageSums } from './usage.ts'

/** What a monitoring system reads of a running gateway. Sums begin with its process, so they never fall. */
export interface RuntimeMetrics {
  /** ISO 8601. */
  readonly started: string
  /** Turns that ended. */
  readonly turns: Readonly<Record<TurnOutcome['type'], number>>
  /** Calls that ended, by model. `model` is `null` for those of models beyond the first hundred. */
  readonly calls: readonly (UsageSums & { readonly model: string | null })[]
  readonly running: number
  readonly queued: number
  /** Calls that wait for a person. */
  readonly waiting: number
  /** Of the providers whose last calls failed. */
  readonly breakers: readonly Breaker[]
  /** Of the files of the store, bytes. */
  readonly storeBytes: number
}

/** The breaker of a provider. `half-open`: one call may find out whether it answers again. */
export interface Breaker {
  readonly provider: string
  readonly state: 'closed' | 'open' | 'half-open'
  readonly failures: number
}
