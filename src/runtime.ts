/**
 * The runtime: many sessions over one home. It admits input, runs turns, keeps the ledger of every call, carries replies to
 * channels, and reads the configuration and the files of a home.
 */
export { openHomeFiles } from './runtime/home/home-files.ts'
export {
  type Channel,
  type StoredRecord,
  type ModelStatus,
  type PairedChat,
  type PairingCode,
  type Pairings,
  type Preview,
  type RebuiltRequest,
  type Replay,
  type RequestView,
  type Runtime,
  type RuntimeStatus,
  type SessionEvent,
  type SubmittedTurn,
  type ToolStatus,
  type TurnView,
  type WaitingApproval,
} from './capability.ts'
export { systemClock } from './platform.ts'
export { takeHomeCheckpoint } from './runtime/audit/take-checkpoint.ts'
export { readAuditKey } from './runtime/audit/audit-key.ts'
export { ensureAuditId } from './runtime/audit/checkpoint-service.ts'
export { homeCheckpointTargets } from './runtime/audit/restore-audit.ts'
export { verifyHomeAudit } from './runtime/audit/home-audit.ts'
export { createRuntime, type HostedRuntime } from './runtime/create-runtime.ts'
export { cutOffError, runtimeFailure } from './runtime/failure.ts'
export { replayStored } from './runtime/ledger/replay-stored.ts'
export { lintHome } from './runtime/lint/lint-home.ts'
export { loadPlugins } from './runtime/load-plugins.ts'
export { readHomeSecrets } from './runtime/secrets/home-secrets.ts'
export { type OpenOptions, openRuntime } from './runtime/open-runtime.ts'
export { shortAnswer } from './runtime/notes/note-service.ts'
export { createRecords, ofOwnerAlone } from './runtime/records.ts'
export { widenedPolicy } from './runtime/restore/arriving-policy.ts'
export {
  arrivingHome,
  completeRestore,
  isRestorePending,
  removeArrivals,
  replacedNames,
} from './runtime/restore/pending-restore.ts'
export { placeArrivals } from './runtime/restore/place-arrivals.ts'
export { beginSession, newSessionReply, newSessionWords } from './runtime/channels/new-session-command.ts'
export { sessionConversation } from './runtime/channels/outbox.ts'
export {
  type Configuration,
  capabilitySettings,
  homeFolders,
  personStore,
} from './runtime/configuration/configuration.ts'
export { configurationKey, setValue } from './runtime/configuration/edit.ts'
export { factsAt, findKeyPath } from './runtime/configuration/key.ts'
export type { CapabilityModule, CapabilitySetting } from './runtime/configuration/load-capabilities.ts'
export { loadConfiguration, type LoadedConfiguration } from './runtime/configuration/load.ts'
export { ConfigurationError, type ConfigurationProblem, problemText } from './runtime/configuration/problem.ts'
export { networkList } from './runtime/configuration/gateway-schema.ts'
export { type ConfigurationSchema, configurationSchema } from './runtime/configuration/schema.ts'
export { modelNameFault } from './runtime/configuration/unknown-names.ts'
export { type Environment, parseWords, variableName } from './runtime/configuration/value.ts'
export { configurationWarnings } from './runtime/configuration/warnings.ts'
export { homeStorePlace, openHomeDatabase, startHomeSigns } from './runtime/configuration/home-store.ts'
export type { UsedSettings } from './runtime/people/used-settings.ts'
export {
  accessFilePath,
  createHome,
  createWorkspace,
  ensureToken,
  homeAt,
  homeWarning,
  noteDatabase,
  notedDatabase,
  readToken,
  type TokenStore,
} from './runtime/home/home.ts'
export { counterKey, findCounter, textTokens } from './runtime/models/counters.ts'
export { forgetLearnedLimits } from './runtime/models/learned-limits.ts'
export { sessionNotFound, turnNotFound } from './runtime/sessions/not-found.ts'
export { mergeSameFiles } from './runtime/sessions/message-files.ts'
export {
  type BrowserSession,
  type BrowserSessions,
  BROWSER_SESSION_SECONDS,
  openBrowserSessions,
} from './runtime/tokens/browser-sessions.ts'
export {
  type GatewayTokens,
  isExpired,
  tokenId,
  type ListedToken,
  listedTokens,
  openGatewayTokens,
  type MadeToken,
  type NamedToken,
  type NamedTokens,
} from './runtime/tokens/named-tokens.ts'
export type { RowPlace } from './runtime/tokens/rows.ts'
export { openTokenUses } from './runtime/tokens/token-uses.ts'
export { makeFolder } from './runtime/people/removed-homes.ts'
export {
  isThere,
  openPeople,
  type People,
  peopleHomesIn,
  type Person,
  personHome,
  personNotFound,
} from './runtime/tokens/people.ts'
export { openGatewayHomes, shareBeforeStart, teamSettings } from './runtime/people/gateway-homes.ts'
export type { PeopleHomes } from './runtime/people/people-homes.ts'
export { accessWrites, editAccess, type EditedAccess } from './runtime/tools/edit-access.ts'
export { pinnedPolicy, unconfinedPrograms } from './runtime/tools/pinned-policy.ts'
export { outcomeNotice } from './runtime/sessions/outcome-notice.ts'
export { citedSources, isAnswered, sumUsage, turnTotals, readTurnView } from './runtime/sessions/turn-view.ts'
export { noChatForGuests } from './runtime/people/shared-records.ts'
