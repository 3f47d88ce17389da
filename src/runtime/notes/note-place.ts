import type { PreparedCall, TurnSetup } from '../../agent.ts'
import type { Assembly, AssemblyInput } from '../../context.ts'
import type { Model } from '../../model.ts'
import type { AssemblyContext } from '../calls/assembly-context.ts'
import type { Sealed, SealedManifest } from '../ledger/seal.ts'
import type { SessionState } from '../sessions/session-state.ts'

/** The last call of a turn that has ended, as it was sent. */
export interface AnsweredCall {
  readonly input: AssemblyInput
  readonly outcome: Assembly
  readonly prepared: PreparedCall
}

export interface NotePlace {
  readonly context: AssemblyContext
  readonly state: SessionState
  readonly model: Model
  readonly turn: string
  /** Adds what the call is expected to cost. */
  forecast(sealed: Sealed): Promise<SealedManifest>
  /** Holds the call in the budgets of the turn; one that could pass a limit is not made. `used`: its prompt, tokens. */
  hold(used: number): NonNullable<TurnSetup['holdCall']>
}
