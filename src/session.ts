export { type AppendPlan, type AppendTarget, planAppend, type StoredSession } from './session/append-plan.ts'
export { auditRecordAfter, CHAIN_START, chainHash } from './session/audit-chain.ts'
export type { AuditFacts, AuditRecord, AuditVerdict } from './session/audit.ts'
export { verifyAudit } from './session/verify-audit.ts'
export { type Choices, choicesAfter, choicesOf, shownSession } from './session/choices.ts'
export type {
  ApprovalDecision,
  ApprovalQuestion,
  AttachedFile,
  Binding,
  CallOutcome,
  CallWarning,
  CallRecord,
  Entry,
  EntryBody,
  EntryType,
  InputOptions,
  Source,
  SpokenBody,
  StoredResult,
  TokenCounts,
  Usage,
} from './session/entry.ts'
export { type AnswerLimit, type PartialReason, type TurnOutcome, turnOutcomeTypes } from './session/turn-outcome.ts'
export type { AuditOptions, AuditStore } from './session/store/audit-store.ts'
export type { CallsOptions, CallStore } from './session/store/call-store.ts'
export type { ContentStore } from './session/store/content-store.ts'
export type { FilesOptions, FileStore } from './session/store/file-store.ts'
export type {
  EntriesOptions,
  EntryListener,
  LogStore,
  RecentTurns,
  RecentTurnsOptions,
  SessionRow,
  TurnRow,
} from './session/store/log-store.ts'
export type { RecordStore } from './session/store/record-store.ts'
export type { SessionStore, Write } from './session/store/session-store.ts'
export type { ValueStore } from './session/store/value-store.ts'
export { StoreError, type StoreErrorCode } from './session/store-error.ts'
export { contentHash, referredContent } from './session/content.ts'
export { exportSession } from './session/export-session.ts'
export { type ImportOptions, importSession } from './session/import-session.ts'
export { type Claim, claimHome, type ClaimInfo, readClaim } from './session/claim-home.ts'
export type { SqliteStoreOptions } from './session/sqlite/connection.ts'
export { openSqliteStore, sqliteDriver } from './session/sqlite-driver.ts'
export {
  ableTo,
  type CompactedStore,
  type MissingContent,
  type OpenStoreOptions,
  type StoreAbility,
  type StoreDriver,
  type StoreSnapshot,
} from './session/store-driver.ts'
export { type FileOwner, type FileReading, type FileRow, type FileState, mediaTypeOf } from './session/file-row.ts'
export { nextVersion, type RecordChange, type RecordVersion } from './session/record.ts'
export type { StoredBlob } from './session/blob-file.ts'
export { type BlobStore, type IsNeeded, openBlobs, type PutBlobOptions, type SweptBlobs } from './session/blobs.ts'
export { turnRowAsOf } from './session/turn-row.ts'
export { undoneTurnsOf } from './session/undone-turns.ts'
