/** Models behind providers: calls that stream, their facts, costs and failures. A provider is one value (`provider`). */
export { expectOk, ResponseError, versionedURL } from './model/connection.ts'
export {
  type CallParameters,
  PARAMETER_NAMES,
  REASONING_EFFORTS,
  type ReasoningEffort,
  type ResponseFormat,
} from './model/call-parameters.ts'
export { type Calibration, margin, observe, type PromptSample, ratio, UNCALIBRATED } from './model/calibration.ts'
export { answerRoom, ASSUMED_WINDOW, assumedFacts, type CatalogRow, mergeFacts } from './model/catalog.ts'
export { type Choice, listedFacts, type ModelListing, listModelsEndpoint, waysToAttach } from './model/list-models.ts'
export type { ModelConfiguration } from './model/model.ts'
export {
  chatWireSettings,
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
export { callCost, type Forecast, forecast, type ForecastInput } from './model/forecast.ts'
export { leastPromptTokens, type PromptReport, promptReport } from './model/prompt-report.ts'
export { modelImageSupport } from './model/prompt.ts'
export { fromLanguageModel, type LanguageModelSettings, type StreamingModel } from './model/language-model.ts'
export { answerLimits, type Timeouts } from './model/call-limits.ts'
export type {
  AssumedFact,
  AnswerLimits,
  CacheRules,
  CallOptions,
  FinishReason,
  Model,
  ModelEvent,
  ModelFacts,
  ModelRequest,
  ModelUsage,
  Price,
  WireBody,
  WireCarriage,
} from './model/model.ts'
export { ModelError, type ModelErrorCode, type ModelErrorFacts } from './model/model-error.ts'
export { builtInProviders, createModels, type Models, type ModelsSettings } from './model/models.ts'
export { type ChatPackage, chatWireModel } from './model/chat-wire.ts'
export { toModelError } from './model/provider-failure.ts'
export { languageModel, type LanguageModelOptions, type SdkLanguageModel } from './model/sdk-model.ts'
export { UnexpectedAnswer } from './model/wire-fetch.ts'
export { SILENT } from './model/usage.ts'
