import type { AuditFacts, AuditStore } from './audit.ts'
import type { AuditPosition } from './audit-archive.ts'
import type { BudgetLedger } from './budget-ledger.ts'
import type { CallOutcome, CallRecord, CallStore } from './call.ts'
import type { SumStore } from './call-sums.ts'
import type { ContentStore, StoredBytes } from './content.ts'
import type { Binding, Entry, EntryBody } from './entry.ts'
import type { Gateways } from './gateways.ts'
import type { FileOwner, FileRow, FileState, FileStore } from './file-row.ts'
import type { RecordChange, RecordStore } from './record.ts'
import type { LogStore, StoreDamage } from './log-store.ts'

/**
 * Where sessions live. Every store passes `storeCases` of `test/cases`.
 *
 * When a promise resolves, the data is on disk and survives `kill -9` and power loss. What one `append` writes becomes
 * visible completely or not at all. Reading never blocks writing. Failures are `StoreError`s, and a failed write leaves
 * nothing behind and does not affect other writes.
 *
 * All values are plain JSON: what JSON cannot express (`undefined`, bytes, dates) is not returned.
 */
export interface SessionStore
  extends LogStore, CallStore, SumStore, ContentStore, ValueStore, RecordStore, FileStore, AuditStore {
  /**
   * Several writes in order, all or nothing, such as the entry that announces a call together with its record. Resolves with the
   * entries among them.
   */
  transaction(writes: readonly Write[]): Promise<readonly Entry[]>
  /**
   * Writes a new session in parts of a bounded size, between which other writes and other work come. The first write is its
   * `session-start`. Nobody sees the session before all of it is on the disk; where a write fails or the process ends before, what was
   * written is removed, except contents. Listeners are told of its entries when it is whole.
   */
  putSession(session: string, writes: Iterable<Write>): Promise<void>
  /** The rows that are not as they were written: of one session, or of all and of the contents. */
  damage(session?: string): AsyncIterable<StoreDamage>
  /** The processes on it; absent where only one machine reaches it. */
  readonly gateways?: Gateways
  /** The bytes of files, where several machines reach the store; absent: they are in the folder of the home alone. */
  readonly bytes?: StoredBytes
  /** The ledger of budgets, where it is in the database of the store; absent: it is a file of its own. */
  readonly budgets?: BudgetLedger
  /** Resolves with the error after which it takes nothing more until it is opened again; pending while there is none. */
  readonly failed: Promise<unknown>
  /** Resolves when accepted writes are on disk, or were refused; `undefined`: all of them are. */
  idle(): Promise<void> | undefined
  /** Waits for all accepted writes, then closes. */
  close(): Promise<void>
}

/** One write as data, for `transaction`. Each does the same as the method with the same purpose. */
export type Write =
  | { readonly type: 'append'; readonly session: string; readonly bodies: readonly EntryBody[]; readonly time: string }
  | { readonly type: 'call'; readonly record: CallRecord }
  | { readonly type: 'call-outcome'; readonly id: string; readonly outcome: CallOutcome }
  | {
      readonly type: 'content'
      readonly text: string
      readonly holds?: readonly string[]
      readonly shared?: boolean
    }
  /** With `was`, only where that is the value until now, `undefined`: where there is none; `conflict` otherwise. */
  | {
      readonly type: 'value'
      readonly key: string
      readonly value: unknown
      readonly was?: { readonly value: unknown }
    }
  | { readonly type: 'binding'; readonly binding: Binding; readonly session: string }
  | { readonly type: 'record'; readonly change: RecordChange; readonly time: string }
  | { readonly type: 'file'; readonly row: FileRow }
  | { readonly type: 'file-state'; readonly id: string; readonly state: FileState }
  | { readonly type: 'file-owner'; readonly id: string; readonly owner: FileOwner }
  /** One more record of the audit chain: its number and hashes are computed when it is written. */
  | { readonly type: 'audit'; readonly facts: AuditFacts; readonly time: string }
  /**
   * Removes the records up to this one, and keeps it as the one that the chain goes on after. `conflict` where neither the record
   * is there nor what was archived before ends with it, and where nothing follows it.
   */
  | { readonly type: 'audit-archived'; readonly archived: AuditPosition }

/** Small named values, JSON: calibration, settings that the runtime learned. */
export interface ValueStore {
  /** `invalid` where the value has no JSON. */
  putValue(key: string, value: unknown): Promise<void>
  value(key: string): Promise<unknown>
}

/**
 * The name of the value that has the `seq` up to which a session was imported: no call goes on with the instructions and tools of
 * the calls before it, which may be anyone's.
 */
export function importedHeadKey(session: string): string {
  return `imported-head:${session}`
}
