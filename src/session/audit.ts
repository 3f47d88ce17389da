/** What happened around one tool call, as the audit keeps it (BEHAVIOURS §2.4). What is not known is left out. */
export interface AuditFacts {
  /** `decision`: somebody or something said whether it may run. `call`: it ran. `change`: the owner changed what may run. */
  readonly kind: 'decision' | 'call' | 'change'
  readonly session?: string
  readonly turn?: string
  readonly toolCallId?: string
  readonly tool?: string
  /** The input as JSON, cut to a length that a list can show. */
  readonly input?: string
  readonly argv?: readonly string[]
  readonly command?: string
  readonly folder?: string
  /** SHA-256 of the call as it was described. */
  readonly digest?: string
  readonly decision?: 'allowed' | 'refused' | 'asked' | 'approved' | 'denied'
  /** What decided, such as `global.mode=allowlist`, or the door a person used. */
  readonly rule?: string
  readonly reason?: string
  readonly ok?: boolean
  readonly exitCode?: number
  readonly durationMs?: number
  readonly bytes?: number
  readonly truncated?: boolean
}

/**
 * One link of the chain: each holds the hash of the one before, so that none can be changed, taken out or moved unseen.
 * There is no secret in it: who may write the store can forge a whole new chain. Against that a copy of a hash helps, kept
 * somewhere else.
 */
export interface AuditRecord extends Omit<AuditFacts, 'kind'> {
  /** `damaged`: somebody wrote into its place, and what stands there now is no record. */
  readonly kind: AuditFacts['kind'] | 'damaged'
  /** 1, 2, 3 … without gaps. */
  readonly number: number
  /** ISO 8601, UTC. */
  readonly time: string
  /** Hash of the record before; 64 zeros for the first. */
  readonly previous: string
  /** SHA-256 over everything else (`chainHash`). */
  readonly hash: string
}

/** What an examination of the whole chain came to. */
export type AuditVerdict =
  | { readonly type: 'whole'; readonly records: number }
  /** `number`: the first record that is not as it was written. */
  | { readonly type: 'broken'; readonly number: number; readonly why: string }
