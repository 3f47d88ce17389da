export { expectOk, ResponseError } from './model/ask.ts'
export {
  type CallParameters,
  PARAMETER_NAMES,
  REASONING_EFFORTS,
  type ReasoningEffort,
  type ResponseFormat,
} from './model/call-parameters.ts'
export { type Calibration, margin, observe, type PromptSample, ratio, UNCALIBRATED } from './model/calibration.ts'
export { answerRoom, ASSUMED_WINDOW, assumedFacts, type CatalogRow, mergeFacts } from './model/catalog.ts'
export { type Choice, waysToAttach } from './model/choose.ts'
export type { Environment, ModelConfiguration, ProviderConfiguration } from './model/configuration.ts'
export { versionedURL } from './model/connection.ts'
export { costOf, type Forecast, forecast, type ForecastInput } from './model/forecast.ts'
export { leastPromptTokens, type PromptReport, promptReport } from './model/prompt-report.ts'
export { imageSupportOf } from './model/prompt.ts'
export { fromLanguageModel, type LanguageModelSettings, type StreamingModel } from './model/language-model.ts'
export type { ModelListing } from './model/list.ts'
export { answerLimits } from './model/answer-bounds.ts'
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
export { httpModelSettings, type ModelSettings } from './model/model-settings.ts'
export { builtInProviders, createModels, type Models, type ModelsSettings } from './model/models.ts'
export { listedFacts, openaiModelList } from './model/openai-model-list.ts'
export { openaiWireModel, openaiWireSettings } from './model/openai-wire.ts'
export {
  type ListedModel,
  provider,
  type Provider,
  type ProviderConnection,
  type Suggestion,
} from './model/provider.ts'
export { modelErrorOf } from './model/provider-failure.ts'
export { languageModel, type LanguageModelOptions, type SdkLanguageModel } from './model/sdk-model.ts'
export type { Timeouts } from './model/timeouts.ts'
export { UnexpectedAnswer } from './model/watched-response.ts'
export { SILENT } from './model/usage.ts'
