import type { TurnOutput } from '../../agent.ts'
import type { FileLibrary } from '../../capability.ts'
import type { Entry } from '../../session.ts'
import type { Tool } from '../../tool.ts'
import type { CallPlace } from '../calls/call-forecast.ts'
import type { ApprovalService } from '../tools/approval-service.ts'
import type { ToolPolicy } from '../tools/tool-policy.ts'

/** What one turn is run with. */
export interface TurnDependencies extends CallPlace {
  readonly turn: string
  readonly entries: readonly Entry[]
  /** Everything there is to call, allowed or not. */
  readonly tools: readonly Tool[]
  readonly policy: ToolPolicy
  readonly approvals: ApprovalService
  /** Where images are; none is sent where it is absent. */
  readonly library: FileLibrary | undefined
  readonly signal: AbortSignal
}

/** The words of the call that is running, as they are shown to whoever watches. */
export interface TurnWords extends Required<Pick<TurnOutput, 'show'>> {
  /** Another call begins: numbers that were given meanwhile can be cited in it. */
  begin(): void
  /** The call is over: what was held back is shown. */
  end(call: string): void
}
