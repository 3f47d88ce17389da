export {
  type CompletionCut,
  type CompletionEvent,
  type CompletionInput,
  type EventsOptions,
  type FileSearch,
  type FileSearchAnswer,
  type NewSession,
  type NotesSummary,
  type ModelStatus,
  type PersonsDecision,
  type Preview,
  type PreviewOptions,
  type RebuiltRequest,
  type Replay,
  type ReplayDifference,
  type RequestView,
  type Runtime,
  type RuntimeStatus,
  type SessionMemory,
  type SessionEvent,
  type SubmitInput,
  type Submitted,
  type ToolStatus,
  type ToolTrial,
  type TurnTotals,
  type TurnView,
  type WaitingApproval,
} from './runtime/contract.ts'
export { forgetLearnedLimits } from './runtime/models/learned-limits.ts'
export type { ModelView } from './runtime/models/model-view.ts'
export { RuntimeError, type RuntimeErrorCode } from './runtime/runtime-error.ts'
export type { AgentValue, ProjectValue } from './capabilities/agents/custom-agents.ts'
export { agentSchema, projectSchema } from './capabilities/agents/custom-agents.ts'
export type { EditedPrompt, PromptVersion } from './capabilities/prompt/edited-prompt.ts'
export { type AddedFile, inbox, type Library, type NewFile } from './capabilities/files/library.ts'
export type { Kept, Records } from './runtime/records.ts'
export { createRuntime, type RuntimeParts } from './runtime/create-runtime.ts'
export { configuredEmbedder, type ConfiguredEmbedder } from './capabilities/files/configured-embedder.ts'
export { type OpenOptions, openRuntime, storePath } from './runtime/open-runtime.ts'
export {
  type Channel,
  type ChannelDesk,
  type Reply,
  type SentPart,
  UndeliverableError,
} from './runtime/channels/channel.ts'
export { type ChannelInbox, openChannelInbox } from './runtime/channels/channel-inbox.ts'
export { createPairings, type PairedChat, type PairingCode, type Pairings } from './runtime/channels/pairings.ts'
export { type Clock, systemClock } from './runtime/clock.ts'
export { counters, type Counters } from './runtime/models/counters.ts'
export { canonical, type Reuse, type SealedManifest, sha256 } from './runtime/ledger/seal.ts'
export { beginSession, newSessionReply, newSessionWords } from './runtime/channels/new-session-command.ts'
export type { RuntimeSettings } from './runtime/settings.ts'
export { loadPlugins, type PluginModule, type PluginSetting } from './runtime/load-plugins.ts'
export type { ToolPolicy } from './runtime/tools/tool-policy.ts'
export { ensureToken, readToken, type TokenOptions } from './runtime/home/gateway-token.ts'
export { editFile, type FileEdit, FileEditError } from './runtime/home/edit-file.ts'
export { accessPlace } from './runtime/home/access-place.ts'
export { createHome, createWorkspace, type Home, homeAt } from './runtime/home/home.ts'
export { configurationWarnings } from './runtime/configuration/warnings.ts'
export { modelNameFault, providerNames } from './runtime/configuration/unknown-names.ts'
export { valueOfWords } from './runtime/configuration/value.ts'
export { type LoadedConfiguration, type LoadOptions, loadConfiguration } from './runtime/configuration/load.ts'
export type { Configuration } from './runtime/configuration/settled.ts'
export { conversationOfSession } from './runtime/channels/outbox-replies.ts'
export { isAnswered, outcomeNotice } from './runtime/turns/outcome-notice.ts'
export { citedSources, turnTotals, turnView } from './runtime/turns/turn-view.ts'
export { configurationKey, type EditOptions, setValue } from './runtime/configuration/edit.ts'
export { keyPathOf } from './runtime/configuration/key.ts'
export { configurationSchema } from './runtime/configuration/json-schema.ts'
export { type ConfigurationProblem, ConfigurationError, problemText } from './runtime/configuration/problem.ts'
export { type Environment, variableOf } from './runtime/configuration/environment.ts'
export { type Backup, backupHome, type BackupOptions, type BackupProgress } from './runtime/backup/backup-home.ts'
export { restoreHome, type Restored, type RestoreOptions, type RestoreProgress } from './runtime/backup/restore-home.ts'
export { finishRestore, isRestorePending } from './runtime/backup/pending-restore.ts'
export { type Compacted, compactHome } from './runtime/backup/compact-home.ts'
export { BackupError, type BackupErrorCode } from './runtime/backup/backup-error.ts'
