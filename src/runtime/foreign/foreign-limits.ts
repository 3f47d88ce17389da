import type { CallOutcome } from '../../session.ts'
import type { ForeignCallStart } from '../../capability.ts'
import type { AnswerReader } from './answer-reader.ts'

/** Holds what calls of other programs may cost. */
export interface ForeignLimits {
  hold(call: CallToHold): Promise<{ readonly held: HeldForeignCall | undefined } | { readonly refuse: string }>
}

export interface CallToHold {
  readonly id: string
  readonly start: ForeignCallStart
  readonly signal: AbortSignal
  stop(): void
}

export interface HeldForeignCall {
  /** More of the answer has come. */
  grew(answer: Pick<AnswerReader, 'size'>): void
  /** It is over. `undefined`: nothing is known of what it cost. */
  settle(outcome: CallOutcome | undefined): void
}

export const noLimits: ForeignLimits = { hold: async () => ({ held: undefined }) }
