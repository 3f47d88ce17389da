// The session log: its entries and their projections, the stores that keep them, exports, blobs and the claim of a home.
export {
  type AuditFacts,
  type AuditOptions,
  type AuditRecord,
  type AuditVerdict,
  auditLines,
  verifyAudit,
} from './session/audit.ts'
export { type AuditPosition, readArchivedPosition, signArchived, verifyAuditArchive } from './session/audit-archive.ts'
export {
  type AuditCheckpoint,
  type AuditKey,
  auditKey,
  auditKeyId,
  type ChainPosition,
  CUT_OFF,
  isSignature,
  newAuditKey,
  parseChainPosition,
  parseCheckpoint,
} from './session/audit-checkpoint.ts'
export {
  type AuditReport,
  type CheckpointEvidence,
  type CheckpointTargetReport,
  examineAudit,
  type ExamineOptions,
  findCheckpointBreak,
} from './session/examine-audit.ts'
export { type Choices, applyChoice, sessionView } from './session/choices.ts'
export type {
  ApprovalDecision,
  ApprovalOutcome,
  ApprovalQuestion,
  AttachedFile,
  Binding,
  Entry,
  EntryBody,
  BudgetQuestion,
  InputOptions,
  CitationSource,
  MessageBody,
  ResultImage,
  StoredResult,
  TokenCounts,
} from './session/entry.ts'
export type {
  BudgetAmount,
  CountedCall,
  BudgetCheck,
  BudgetGrant,
  BudgetLedger,
  BudgetState,
  PassedBudget,
} from './session/budget-ledger.ts'
export { budgetLedgerFile, carryBudgetLedger, copyBudgetLedger } from './session/sqlite/carry-budget-ledger.ts'
export { openBudgetLedger } from './session/sqlite/budget-ledger.ts'
export { memberHold } from './session/budget-ledger.ts'
export { type BudgetLimit, budgetLimitFault, type BudgetPeriod, type InputBudget } from './session/input-budget.ts'
export {
  type CallOutcome,
  type CallRecord,
  type CallWarning,
  type ForeignEnd,
  type ForeignFacts,
  NOTHING,
  usedTokens,
  costTogether,
  wasRefused,
  figuresOfCall,
} from './session/call.ts'
export {
  type CallSum,
  callSum,
  layerOf,
  type PromptParts,
  type SumRange,
  type ToolSum,
  toolSumsOf,
} from './session/call-sums.ts'
export { type AnswerLimit, type PartialReason, type TurnOutcome, turnOutcomeTypes } from './session/turn-outcome.ts'
export { contentHash, readReferredContent } from './session/content.ts'
export {
  type FileOwner,
  type FileRow,
  type FileState,
  type FileStore,
  type FileTotals,
  fileMediaType,
} from './session/file-row.ts'
export { type LogStore, type SessionRow, type TurnRow } from './session/log-store.ts'
export { createLeftTurnReader, createUndoneTurnReader, turnsTo, turnsToHead } from './session/branches.ts'
export { type RecordStore, type RecordVersion } from './session/record.ts'
export { importedHeadKey, type SessionStore, type ValueStore, type Write } from './session/session-store.ts'
export { StoreError, type StoreErrorCode } from './session/store-error.ts'
export { exportSession } from './session/export-session.ts'
export { importSession } from './session/import-session.ts'
export type { GatewayRow, Gateways, LifeSigns, Standby, Waiting } from './session/gateways.ts'
export { type Claim, claimHome, networkFault, readClaim } from './session/claim-home.ts'
export type { CopiedTable } from './session/copy/copy-rows.ts'
export { copyBudgets } from './session/copy-budgets.ts'
export { copyStore } from './session/copy-store.ts'
export {
  compactStore,
  examineDatabase,
  findMissingContents,
  findStoreFault,
  isStoreFile,
  openSharedLedger,
  openStore,
  snapshotStore,
  type StoreOptions,
  openStoredBytes,
  readStoreGateways,
  startLifeSigns,
  removeDatabaseStore,
  storeBytes,
  storePath,
} from './session/store-file.ts'
export { databaseName, isPostgresAddress, SCHEMA_NAME } from './session/postgres/address.ts'
export type { DatabaseFacts } from './session/postgres/examine-database.ts'
export type { PostgresAddress as DatabasePlace } from './session/postgres/client.ts'
export { type BlobStore, openBlobs } from './session/blobs.ts'
export { withEdits } from './session/entry.ts'
export { openingOf } from './session/session-opening.ts'
export { sessionActivities, type SessionFolder, type SessionLabel } from './session/session-filter.ts'
export type { Usage } from './wire.ts'
