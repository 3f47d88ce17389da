/**
 * The contract of capabilities: what a feature may contribute to Foreword, what it is given in return, and the types of the
 * runtime that it works with.
 */
export {
  type AnyCapability,
  type Capability,
  capability,
  type CapabilityOverview,
  type Command,
  type CommandCall,
  type CommandGroup,
  type CommandOption,
  type GatewayConnection,
  type HomePart,
  type HttpPart,
  type IndexFile,
  type Io,
  type Lifecycle,
  type ListedCommand,
  type Output,
  type Pin,
  type Self,
  type SessionsPart,
  type SettingsPart,
  type SettingsWarning,
  type SlashCommand,
  type SlashCommandCall,
  type StartLine,
  type StatusPart,
} from './capability/capability.ts'
export {
  type Channel,
  type ChannelContext,
  type ChannelInbox,
  type Reply,
  type SentPart,
  UndeliverableError,
} from './capability/channel.ts'
export type { Check, CheckContext, Finding, LintContext } from './capability/check.ts'
export type { PathInFolder } from './capability/confined-path.ts'
export { type HostCommand, hostCommands } from './capability/host-command.ts'
export type { CapabilityHost, CapabilityPlaces, OfOwner, PersonRoom } from './capability/host.ts'
export type { Clock } from './platform.ts'
export { exactMoneyText } from './context.ts'
export type { LintedTool, LintReport } from './capability/lint-report.ts'
export type {
  McpToolCall,
  McpCall,
  McpCatalogue,
  McpContribution,
  McpDefinitions,
  McpPrompt,
  McpResources,
  McpResourceSet,
  McpTool,
  ResourceText,
  ToolRefusal,
} from './capability/mcp.ts'
export type { Plugin } from './capability/plugin.ts'
export {
  type StoredRecord,
  recordChoice,
  type RecordKind,
  everybody,
  groupNamed,
  recordName,
  type Records,
  recordText,
  sharedWith,
} from './capability/records.ts'
export type { BodyBudget, BroughtToken, RawRequest, RawEndpoint } from './capability/raw-endpoint.ts'
export {
  type ErrorFormat,
  type Failure,
  jsonAnswer,
  type Route,
  route,
  type RouteCall,
  type Sink,
  type StreamDefinition,
} from './capability/route.ts'
export {
  capabilitiesOf,
  type Contributions,
  type RunningCapabilities,
  type TurnParts,
} from './capability/running-capabilities.ts'
export { RuntimeError, type RuntimeErrorCode } from './capability/runtime-error.ts'
export {
  type Caller,
  deciderOf,
  includesScope,
  lesserScope,
  ownerCaller,
  type PersonRole,
  personRoles,
  scopeOfRole,
  type TokenScope,
  tokenScopes,
} from './capability/token-scope.ts'
export { serverToolName, serverToolPrefix } from './capability/server-tool-name.ts'
export {
  type AddedFile,
  type FileEmbedder,
  fileEmbedder,
  fileLibrary,
  type FileLibrary,
  inbox,
  pageReader,
  type ServiceKey,
  serviceKey,
} from './capability/service.ts'
export { callCosts, costOfCalls } from './capability/session-cost.ts'
export { callPrice, moneyOfCall, weighEntries } from './capability/call-price.ts'
export { dayIn } from './capability/day-of.ts'
export { createUsageAdder } from './capability/usage-adder.ts'
export { hasOwnRoom, sentDifferently } from './capability/sent-form.ts'
export {
  costText,
  costSource,
  forecastSentence,
  MOST_COUNTED_CALLS,
  type SessionTotals,
  sumCosts,
} from './capability/session-cost.ts'
export type { ChoiceFiles, ChoiceOption, SessionChoice, TurnPreset } from './capability/session-choice.ts'
export {
  environmentVariable,
  homePath,
  httpAddress,
  innerSchema,
  milliseconds,
  modelId,
  type SettingFacts,
  settingFacts,
  share,
  tokens,
  withoutSettingFacts,
} from './capability/settings-schema.ts'
export type { CapabilityBase } from './capability/start-capabilities.ts'
export { knownLayout } from './capability/known-layout.ts'
export { textLayer } from './capability/own-layers.ts'
export type { LayerContext, PromptBlock, TurnPart, TurnQuestion } from './capability/turn-part.ts'
export type {
  CompletionCut,
  CompletionCutChoice,
  CompletionEvent,
  CompletionInput,
  CompletionSize,
} from './capability/runtime/completions.ts'
export type {
  BodyComparison,
  ForecastManifest,
  LayerHistory,
  LayerHistoryOptions,
  LayerSource,
  LayerSources,
  LayerVersion,
  Preview,
  PreviewOptions,
  RebuiltRequest,
  Replay,
  ReplayDifference,
  RequestView,
  ScenarioOptions,
  TriedOptions,
} from './capability/runtime/calls.ts'
export type {
  Admission,
  EmbeddingsCaller,
  ForeignCallEnd,
  ForeignCallService,
  IncomingBody,
  ForeignCallStart,
  ForeignCallState,
  OpenForeignCall,
} from './capability/runtime/foreign-calls.ts'
export type {
  ExchangesOptions,
  ForeignExchange,
  ForeignSessionService,
  SessionFindings,
  SubAgent,
  SessionProgram,
} from './capability/runtime/foreign-sessions.ts'
export type { BudgetReport } from './capability/runtime/budgets.ts'
export type { GrantedTool, PersonsDecision, WaitingApproval } from './capability/runtime/approvals.ts'
export {
  type CallPrice,
  costGroups,
  costService,
  type CostService,
  type CostOptions,
  type CostReport,
  type CostRow,
  type CostSums,
} from './capability/runtime/costs.ts'
export type {
  CallUsageRow,
  LayerUsageRow,
  ToolUsageRow,
  UsageOptions,
  UsageReport,
  UsageSums,
} from './capability/runtime/usage.ts'
export type { Breaker, RuntimeMetrics } from './capability/runtime/metrics.ts'
export type { FoldedSession, ReloadResult } from './capability/runtime/configuration-service.ts'
export type { AttachedProvider, ModelSetup, SetupOptions, SetupProvider } from './capability/runtime/model-setup.ts'
export type {
  LearnedLimit,
  ModelStatus,
  ModelView,
  NewSession,
  Branch,
  Runtime,
  RuntimeStatus,
  ToolStatus,
  ToolTrial,
  ToolAfterUntrusted,
  WithheldTool,
} from './capability/runtime/runtime.ts'
export type { PairedChat, PairingCode, Pairings } from './capability/runtime/pairings.ts'
export type { NoteService, SessionNote, SessionNotes } from './capability/runtime/note-service.ts'
export type {
  AccessPreviewOptions,
  AccessPolicy,
  AccessPreset,
  AccessPreview,
  AccessStep,
  AccessTrial,
  AccessView,
  FileVersion,
  AccessService,
  TrialAnswer,
} from './capability/runtime/access-service.ts'
export type { AcceptanceService, WaitingChange } from './capability/runtime/approvals.ts'
export type { ConfigurationService } from './capability/runtime/configuration-service.ts'
export type {
  EventsOptions,
  RetryNotice,
  SessionEvent,
  SubmitInput,
  MessageEdit,
  SubmittedTurn,
  TurnTotals,
  TurnView,
} from './capability/runtime/turns.ts'
