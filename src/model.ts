/** Models behind providers: calls that stream, their facts, costs and failures. A provider is one value (`provider`). */
export { expectOk, ResponseError } from './model/connection.ts'
export {
  type CallParameters,
  PARAMETER_NAMES,
  REASONING_EFFORTS,
  type ResponseFormat,
} from './model/call-parameters.ts'
export {
  type Calibration,
  margin,
  observe,
  ratio,
  UNCALIBRATED,
  type KindTokens,
  type TextKind,
  textKind,
  type KindCalibration,
  kindDistance,
  type KindEstimate,
  type KindSample,
  kindTokens,
  observeKinds,
  UNKNOWN_KINDS,
} from './model/calibration.ts'
export { endedPromises, priceProblems, answerRoom, assumedFacts, type CatalogRow, mergeFacts } from './model/catalog.ts'
export { listedFacts, listModelsEndpoint, waysToAttach } from './model/list-models.ts'
export { tryProvider } from './model/try-provider.ts'
export type { ModelConfiguration } from './model/model.ts'
export {
  type Environment,
  httpModelSettings,
  type ListedModel,
  type ModelSettings,
  provider,
  type Provider,
  type ProviderConfiguration,
  type ProviderConnection,
  type Suggestion,
} from './model/provider.ts'
export { type CacheMark, type CacheRules, type Forecast, forecast, type Price } from './context.ts'
export { leastPromptTokens, type PromptReport, promptReport } from './model/prompt-report.ts'
export { modelImageSupport } from './model/prompt.ts'
export { fromLanguageModel, type StreamingModel } from './model/language-model.ts'
export { answerLimits, type Timeouts } from './model/call-limits.ts'
export type {
  CallOptions,
  FinishReason,
  Model,
  ModelEvent,
  ModelFacts,
  ModelRequest,
  ReasoningMetadata,
} from './model/model.ts'
export { ModelError, type ModelErrorCode, type ModelErrorFacts } from './model/model-error.ts'
export {
  builtInProviders,
  createModels,
  type Models,
  type ModelsSettings,
  type ProviderServer,
} from './model/models.ts'
export { type ChatPackage, chatWireModel } from './model/chat-wire.ts'
export { refusal, toModelError } from './model/provider-failure.ts'
export { languageModel } from './model/sdk-model.ts'
export { UnexpectedAnswer } from './model/wire-fetch.ts'
