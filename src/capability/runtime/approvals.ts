import type { ApprovalDecision, EntryBody } from '../../session.ts'

/** A call that waits for a person, as it was asked about. */
export interface WaitingApproval extends Pick<
  Extract<EntryBody, { type: 'approval-request' }>,
  'approval' | 'turn' | 'toolCallId' | 'rule' | 'request' | 'digest' | 'read' | 'held'
> {
  /** Empty for the first call of a session of another program. */
  readonly session: string
  /** ISO 8601. */
  readonly time: string
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

/**
 * What decides what a model may do, and became wider by other means than its owner's decision: it does not count until a person
 * accepts it. Methods reject with `RuntimeError`.
 */
export interface AcceptanceService {
  /** The policy first, then files, and definitions of tools. */
  waiting(): Promise<readonly WaitingChange[]>
  /** Accepts exactly what was shown. Rejects with `decided` where nothing of this name and digest waits. */
  accept(name: string, digest: string, by?: string): Promise<void>
}

export interface WaitingChange {
  /** `declaration`: files that declare tools. `prompt`: a file that a model reads as instructions. `tool`: a definition of a server. */
  readonly kind: 'policy' | 'declaration' | 'prompt' | 'tool'
  /** By which it is accepted: `tool-access.json`, the path of a file or folder, or the name of a tool. */
  readonly name: string
  /** SHA-256 of what would count after it is accepted. */
  readonly digest: string
  /** What it lets through, in sentences. */
  readonly words: readonly string[]
  /** From what was accepted to what waits, as a unified diff. */
  readonly difference: string
}
