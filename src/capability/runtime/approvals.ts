import type { ForeignText } from '../../context.ts'
import type { ApprovalDecision, ApprovalQuestion, HeldCall } from '../../session.ts'

/** A call that waits for a person. */
export interface WaitingApproval {
  readonly approval: string
  /** Empty for the first call of a session of another program. */
  readonly session: string
  readonly turn: string
  readonly toolCallId: string
  /** ISO 8601. */
  readonly time: string
  readonly rule: string
  readonly request: ApprovalQuestion
  readonly digest: string
  /** Texts of others that the model had read when it asked for the call, in the order in which they came in. */
  readonly read?: readonly ForeignText[]
  /** It is about a call to a model that could pass a budget, and not about one of a tool. */
  readonly held?: HeldCall
  /** It asks only because of `read`: the decision can have the scope `tool`. */
  readonly grant?: string
  /** The program whose call it is, such as `claude-code`: it waits on its own, and there is no turn to follow. */
  readonly program?: string
}

/** A tool that a person approved for one session: its calls are not asked about there because of texts of others. */
export interface GrantedTool {
  readonly tool: string
  /** The turn in which it was approved; when that is undone, the approval ends. */
  readonly turn: string
  /** ISO 8601. */
  readonly time: string
  readonly by: string
}

export interface PersonsDecision {
  readonly decision: ApprovalDecision
  readonly digest: string
  /** Where the decision was made, such as `cli` or `http`, or with whose token: `token:NAME`. */
  readonly by: string
}
