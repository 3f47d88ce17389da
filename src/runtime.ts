export {
  type FileSearch,
  type NewSession,
  openRuntime,
  type PreviewOptions,
  type Runtime,
  type RuntimeStatus,
} from './runtime/features.ts'
export type { WaitingApproval } from './capability.ts'
export type { TurnView } from './capability.ts'
export type { TurnTotals } from './capability.ts'
export type { ToolTrial } from './capability.ts'
export type { ToolStatus } from './capability.ts'
export type { Submitted } from './capability.ts'
export type { SubmitInput } from './capability.ts'
export type { SessionEvent } from './capability.ts'
export type { RequestView } from './capability.ts'
export type { ReplayDifference } from './capability.ts'
export type { Replay } from './capability.ts'
export type { RebuiltRequest } from './capability.ts'
export type { Preview } from './capability.ts'
export type { PersonsDecision } from './capability.ts'
export type { ModelStatus } from './capability.ts'
export type { EventsOptions } from './capability.ts'
export type { CompletionInput } from './capability.ts'
export type { CompletionEvent } from './capability.ts'
export type { CompletionCut } from './capability.ts'
export { forgetLearnedLimits } from './runtime/models/learned-limits.ts'
export type { ModelView } from './capability.ts'
export { RuntimeError, type RuntimeErrorCode } from './capability/runtime-error.ts'
export type { EditedPrompt, PromptVersion } from './capabilities/prompt/edited-prompt.ts'
export type { NewFile } from './capability.ts'
export type { FileLibrary } from './capability.ts'
export { inbox } from './capability.ts'
export type { AddedFile } from './capability.ts'
export type { Records } from './capability.ts'
export type { Kept } from './capability.ts'
export { onceEach } from './runtime/sessions/once-each.ts'
export { createRuntime, type HostedRuntime, type RuntimeParts } from './runtime/create-runtime.ts'
export { configuredEmbedder, type ConfiguredEmbedder } from './capabilities/files/configured-embedder.ts'
export type { OpenOptions } from './runtime/open-runtime.ts'
export { homeFeatures, ownFeatures, ownSettings, withFeatures } from './runtime/features.ts'
export { createRecords } from './runtime/records.ts'
export {
  type Channel,
  type ChannelContext,
  type ChannelInbox,
  type Clock,
  type PairedChat,
  type PairingCode,
  type Pairings,
  type Reply,
  type SentPart,
  UndeliverableError,
} from './capability.ts'
export { openChannelInbox } from './runtime/channels/channel-inbox.ts'
export { createPairings } from './runtime/channels/pairings.ts'
export { systemClock } from './runtime/clock.ts'
export { storeDriver, storeOfHome } from './runtime/store-of-home.ts'
export { counters, type Counters } from './runtime/models/counters.ts'
export { canonical, type Reuse, type SealedManifest } from './runtime/ledger/seal.ts'
export { beginSession, newSessionReply, newSessionWords } from './runtime/channels/new-session-command.ts'
export type { RuntimeSettings } from './runtime/settings.ts'
export { loadPlugins, type PluginModule, type PluginSetting } from './runtime/load-plugins.ts'
export type { ToolPolicy } from './runtime/tools/tool-policy.ts'
export { ensureToken, readToken, type TokenOptions } from './runtime/home/gateway-token.ts'
export { editFile, type FileEdit, FileEditError } from './runtime/home/edit-file.ts'
export { accessPlace } from './runtime/home/access-place.ts'
export { createHome, createWorkspace, type Home, homeAt } from './runtime/home/home.ts'
export { configurationWarnings } from './runtime/configuration/warnings.ts'
export { modelNameFault } from './runtime/configuration/unknown-names.ts'
export { valueOfWords } from './runtime/configuration/value.ts'
export { type LoadedConfiguration, type LoadOptions, loadConfiguration } from './runtime/configuration/load.ts'
export { type Configuration, settingsOf } from './runtime/configuration/settled.ts'
export { conversationOfSession } from './runtime/channels/outbox-replies.ts'
export { isAnswered, outcomeNotice } from './runtime/turns/outcome-notice.ts'
export { citedSources, turnTotals, turnView } from './runtime/turns/turn-view.ts'
export { configurationKey, type EditOptions, setValue } from './runtime/configuration/edit.ts'
export { keyPathOf } from './runtime/configuration/key.ts'
export { type ConfigurationSchema, configurationSchema, type KeySchema } from './runtime/configuration/schema.ts'
export { factsAt } from './runtime/configuration/setting-texts.ts'
export type { CapabilityModule, CapabilitySetting } from './runtime/configuration/load-capabilities.ts'
export { type ConfigurationProblem, ConfigurationError, problemText } from './runtime/configuration/problem.ts'
export { type Environment, variableOf } from './runtime/configuration/environment.ts'
export { type Backup, backupHome, type BackupOptions, type BackupProgress } from './runtime/backup/backup-home.ts'
export { restoreHome, type Restored, type RestoreOptions, type RestoreProgress } from './runtime/backup/restore-home.ts'
export { finishRestore, isRestorePending } from './runtime/backup/pending-restore.ts'
export { type Compacted, compactHome } from './runtime/backup/compact-home.ts'
export { BackupError, type BackupErrorCode } from './runtime/backup/backup-error.ts'
