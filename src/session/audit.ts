import type { Clock } from '../platform.ts'
import { contentHash } from './content.ts'

/** The facts of one audit record about a tool call (BEHAVIOURS §2.4). Unknown facts are absent. */
export interface AuditFacts {
  /** `decision`: a person or a rule decided whether the call may run. `call`: it ran. `change`: the owner changed the policy. */
  readonly kind: 'decision' | 'call' | 'change'
  readonly session?: string
  readonly turn?: string
  readonly toolCallId?: string
  /** The model call that requested it, as in the ledger. */
  readonly call?: string
  /** SHA-256 of the request of that model call, as in its manifest. */
  readonly request?: string
  readonly tool?: string
  /** The input as JSON, cut to at most 1,000 characters. */
  readonly input?: string
  readonly argv?: readonly string[]
  readonly command?: string
  readonly folder?: string
  /** SHA-256 of the call as it was described. */
  readonly digest?: string
  /** SHA-256 of the policy under which a person approved the tool for the session. */
  readonly grant?: string
  readonly decision?: 'allowed' | 'refused' | 'asked' | 'approved' | 'denied'
  /** What decided, such as `global.mode=allowlist`, or where a person decided. */
  readonly rule?: string
  /** Who decided, called or changed something: `owner`, `cli`, `token:NAME`, `telegram:ID`.*/
  readonly by?: string
  readonly reason?: string
  /** Texts of others that the model had read when it asked for the call, in words, the newest first. */
  readonly read?: readonly string[]
  readonly ok?: boolean
  readonly exitCode?: number
  readonly durationMs?: number
  readonly bytes?: number
  readonly truncated?: boolean
}

/**
 * One link of the chain. Each contains the hash of the previous one, so that changing, removing or moving a record is
 * detected. The chain has no secret: anyone who can write the store can forge a whole new chain. A copy of a hash, kept
 * elsewhere, detects that.
 */
export interface AuditRecord extends Omit<AuditFacts, 'kind'> {
  /** `damaged`: the row was overwritten and is no longer a record. */
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

/** The result of verifying the whole chain. */
export type AuditVerdict =
  | { readonly type: 'whole'; readonly records: number }
  /** `number`: the first record that was changed. */
  | { readonly type: 'broken'; readonly number: number; readonly why: string }

export interface AuditStore {
  /** By which long reads let other work run. */
  readonly clock: Clock
  /**
   * Records of the audit in order. They are written only with `transaction`, outlive the sessions that they are about,
   * and are never changed. They are removed only with `audit-archived`, from the oldest on.
   */
  audit(options?: AuditOptions): Promise<readonly AuditRecord[]>
  /** The newest record as it was stored beside the chain when it was written; `undefined` before the first. */
  auditHead(): Promise<Pick<AuditRecord, 'number' | 'hash'> | undefined>
}

/** Filters for audit records; a record has to match all of them. Without any: all records, oldest first. */
export interface AuditOptions {
  readonly session?: string
  readonly turn?: string
  readonly tool?: string
  readonly decision?: AuditFacts['decision']
  /** ISO 8601: at this time or later. */
  readonly since?: string
  /** ISO 8601: before this time. */
  readonly until?: string
  /** Only records with a larger number. */
  readonly after?: number
  /** Only records with a smaller number: with `last` a long audit is read in pages from its end. */
  readonly before?: number
  readonly last?: number
  /** Only the oldest n matches: with `after` a long audit is read in pages. */
  readonly limit?: number
}

/** The complete records as JSON Lines, oldest first. */
export async function* auditLines(store: AuditStore, filter: AuditOptions): AsyncGenerator<string> {
  if (filter.last !== undefined) {
    for (const record of await store.audit(filter)) yield JSON.stringify(record)
    return
  }
  for (let after = filter.after ?? 0; ;) {
    const page = await store.audit({ ...filter, after, limit: PAGE })
    for (const record of page) yield JSON.stringify(record)
    if (page.length < PAGE) return
    after = page.at(-1)!.number
  }
}

/** The `previous` hash of the first record. */
export const CHAIN_START = '0'.repeat(64)

/** Makes the next record of the chain. */
export function nextAuditRecord(previous: string, number: number, time: string, facts: AuditFacts): AuditRecord {
  const record = { number, time, ...facts, previous }
  return { ...record, hash: chainHash(record) }
}

/**
 * The SHA-256 of a record, in lowercase hexadecimal. It is computed over the record without its `hash`, as JSON without
 * whitespace, with sorted keys, in UTF-8, so that anyone can recompute it from an export.
 */
export function chainHash(record: Omit<AuditRecord, 'hash'>): string {
  const fields = Object.entries(record).filter(([key]) => key !== 'hash')
  return contentHash(JSON.stringify(Object.fromEntries(fields.toSorted(([one], [other]) => (one < other ? -1 : 1)))))
}

/** Records per page: some milliseconds of work, after which other work can run. */
const PAGE = 500

type ChainEnd = Pick<AuditRecord, 'number' | 'hash'>

/** Verifies the whole chain, from the record on that was `archived` last, page by page, and names the first record that was changed. */
export async function verifyAudit(store: AuditStore, archived?: ChainEnd): Promise<AuditVerdict> {
  let last: ChainEnd = archived ?? { number: 0, hash: CHAIN_START }
  for (;;) {
    const page = await store.audit({ after: last.number, limit: PAGE })
    for (const record of page) {
      const verdict = findBreak(last, record)
      if (verdict) return verdict
      last = record
    }
    if (page.length === PAGE) {
      await store.clock.yield()
      continue
    }
    const head = await store.auditHead()
    // Written since the page was read: the next page has it, unless it was cut off.
    if (head && head.number > last.number && (await store.audit({ after: last.number, limit: 1 })).length > 0) continue
    return findBreakAtEnd(last, head) ?? { type: 'whole', records: last.number }
  }
}

/** What is wrong with a record that follows `last`. */
export function findBreak(last: ChainEnd, record: AuditRecord): AuditVerdict | undefined {
  const { number } = record
  if (number !== last.number + 1) {
    const gap =
      number === last.number + 2 ? `record ${last.number + 1} is` : `records ${last.number + 1} to ${number - 1} are`
    return brokenVerdict(last.number + 1, `${gap} missing: the one after record ${last.number} is record ${number}`)
  }
  if (record.kind === 'damaged') {
    return brokenVerdict(number, `record ${number} was changed: it is not a record any more`)
  }
  const follows = record.previous === last.hash
  if (chainHash(record) === record.hash) return follows ? undefined : replacedVerdict(last, number)
  if (follows) return brokenVerdict(number, `record ${number} was changed: its content does not match its hash`)
  return brokenVerdict(number, `record ${number} was moved here or replaced: it does not follow record ${last.number}`)
}

/** A consistent record still has the hash of the record that preceded it when it was written. */
function replacedVerdict(last: ChainEnd, number: number): AuditVerdict {
  if (last.number === 0) return brokenVerdict(number, `record ${number} is not the one the audit began with`)
  return brokenVerdict(
    last.number,
    `record ${last.number} was replaced: record ${number} was written after another one`,
  )
}

function findBreakAtEnd(last: ChainEnd, head: ChainEnd | undefined): AuditVerdict | undefined {
  if (head === undefined) {
    if (last.number === 0) return undefined
    return brokenVerdict(
      last.number,
      `which record is the newest was noted, and the note is gone: record ${last.number} may not be the end`,
    )
  }
  if (head.number > last.number) {
    return brokenVerdict(
      last.number + 1,
      `the end is missing: record ${head.number} was the newest, and nothing follows record ${last.number}`,
    )
  }
  if (head.number < last.number) {
    return brokenVerdict(
      head.number + 1,
      `record ${head.number + 1} was added by another hand: record ${head.number} was the newest`,
    )
  }
  if (head.hash !== last.hash)
    return brokenVerdict(last.number, `record ${last.number} was replaced: another one was noted as the newest`)
  return undefined
}

export function brokenVerdict(number: number, why: string) {
  return { type: 'broken', number, why } as const
}
