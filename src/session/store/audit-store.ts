import type { AuditFacts, AuditRecord } from '../audit.ts'

/** The audit. It is written with `transaction` alone. */
export interface AuditStore {
  /**
   * Records of the audit in their order. They are written with `transaction` alone, outlive the sessions they speak of,
   * and are never changed or removed.
   */
  audit(options?: AuditOptions): Promise<readonly AuditRecord[]>
  /** The newest record as it was noted beside the chain when it was written; `undefined` before the first. */
  auditHead(): Promise<Pick<AuditRecord, 'number' | 'hash'> | undefined>
}

/** Which records of the audit are read; what is given must all hold. Without any: all of them, oldest first. */
export interface AuditOptions {
  readonly session?: string
  readonly turn?: string
  readonly tool?: string
  readonly decision?: AuditFacts['decision']
  /** ISO 8601: at this time or later. */
  readonly since?: string
  /** Only records with a larger number. */
  readonly after?: number
  /** The newest n of what matches. */
  readonly last?: number
  /** The oldest n of what matches: with `after` a long audit is read in pages. */
  readonly limit?: number
}
