import type { ApprovalDecision, ApprovalQuestion } from '../../session.ts'

/** A call that waits for a person. */
export interface WaitingApproval {
  readonly approval: string
  readonly session: string
  readonly turn: string
  readonly toolCallId: string
  /** ISO 8601. */
  readonly time: string
  readonly rule: string
  readonly request: ApprovalQuestion
  readonly digest: string
}

export interface PersonsDecision {
  readonly decision: ApprovalDecision
  readonly digest: string
  /** Through which door, such as `cli` or `http`. */
  readonly by: string
}
