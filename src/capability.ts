export {
  type AnyCapability,
  type Capability,
  capability,
  type IndexFile,
  type Self,
  type StartLine,
  type SettingsContext,
  type SettingsWarning,
} from './capability/capability.ts'
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
export type { CapabilityHost, CapabilityPlaces } from './capability/host.ts'
export type { ChoiceFiles, ChoiceOption, SessionChoice, TurnPreset } from './capability/session-choice.ts'
export type { TurnPart, TurnQuestion, TurnTool } from './capability/turn-part.ts'
export type { LayerContext } from './capability/turn-part.ts'
export type { PromptBlock } from './capability/turn-part.ts'
export type { Check, CheckContext, Finding } from './capability/capability.ts'
export type { SlashCommand, SlashCommandCall } from './capability/capability.ts'
export {
  type ErrorFormat,
  type Failure,
  type Route,
  route,
  type RouteAnswer,
  type RouteCall,
  type Sink,
  type StreamDefinition,
} from './capability/route.ts'
export { type Command, type CommandCall, type CommandOption } from './capability/capability.ts'
export type { Connection, Io, Output } from './capability/capability.ts'
export {
  type Channel,
  type ChannelContext,
  type ChannelHook,
  type ChannelInbox,
  type Reply,
  type SentPart,
  UndeliverableError,
} from './capability/channel.ts'
export { type ServiceKey, serviceKey } from './capability/service.ts'
export {
  type AddedFile,
  type FileEmbedder,
  fileEmbedder,
  fileLibrary,
  type FileLibrary,
  inbox,
  type NewFile,
} from './capability/service.ts'
export type { Clock } from './capability/host.ts'
export type { Kept, RecordKind, Records } from './capability/records.ts'
export { recordChoice, recordName, recordText } from './capability/records.ts'
export type { RetryNotice } from './capability/runtime/turns.ts'
export type { WithheldTool } from './capability/runtime/runtime.ts'
export { RuntimeError, type RuntimeErrorCode } from './capability/runtime-error.ts'
export type {
  CalledTool,
  McpCall,
  McpCatalogue,
  McpContribution,
  McpDefinitions,
  McpPart,
  McpPrompt,
  McpResources,
  McpResourceSet,
  McpTool,
  PersonAsked,
  ResourceText,
  ToolRefusal,
} from './capability/mcp.ts'
export type { PersonsDecision, WaitingApproval } from './capability/runtime/runtime.ts'
export type {
  Preview,
  PreviewOptions,
  RebuiltRequest,
  Replay,
  ReplayDifference,
  RequestView,
  WireProof,
} from './capability/runtime/calls.ts'
export type {
  CompletionCut,
  CompletionCutChoice,
  CompletionEvent,
  CompletionInput,
} from './capability/runtime/calls.ts'
export type { LearnedLimit, ModelStatus, ModelView } from './capability/runtime/runtime.ts'
export type { PairedChat, PairingCode, Pairings } from './capability/runtime/runtime.ts'
export type { Runtime } from './capability/runtime/runtime.ts'
export type { NewSession, UndoneSessionTurn } from './capability/runtime/runtime.ts'
export type { RuntimeStatus } from './capability/runtime/runtime.ts'
export type { ToolStatus, ToolTrial } from './capability/runtime/runtime.ts'
export type {
  EventsOptions,
  SessionEvent,
  SubmitInput,
  Submitted,
  TurnTotals,
  TurnView,
} from './capability/runtime/turns.ts'
export type { Plugin, PluginContext } from './capability/plugin.ts'
export { pluginAsCapability, pluginContext } from './capability/plugin.ts'
export { type CapabilityBase, startCapabilities } from './capability/start-capabilities.ts'
export type { Contributed, RunningCapabilities, TurnParts } from './capability/running-capabilities.ts'
export { readerWithin } from './capability/confined-path.ts'
export { PAGE_CHARS, textPage } from './capability/text-page.ts'
export { textLayer } from './capability/own-layers.ts'
export { noPrompt } from './capability/own-layers.ts'
export { summaryByModel } from './capability/model-summary.ts'
export { type ConfinedPath, confinedPath, type Inside, isWithin, realPlace } from './capability/confined-path.ts'
export { offeredName, offeredPrefix } from './capability/server-tool-name.ts'
