export { ollamaAddress } from './model/address.ts'
export {
  type CallParameters,
  PARAMETER_NAMES,
  REASONING_EFFORTS,
  type ReasoningEffort,
  type ResponseFormat,
} from './model/call-parameters.ts'
export { type Calibration, margin, observe, type PromptSample, ratio, UNCALIBRATED } from './model/calibration.ts'
export { ASSUMED_WINDOW } from './model/catalog.ts'
export type { Choice } from './model/choose.ts'
export {
  BUILT_IN_PROVIDERS,
  type ModelConfiguration,
  type ModelsSettings,
  type ProviderConfiguration,
  type ProviderKind,
} from './model/configuration.ts'
export { costOf, type Forecast, forecast, type ForecastInput } from './model/forecast.ts'
export { leastPromptTokens, type PromptReport, promptReport } from './model/prompt-report.ts'
export { imageSupportOf } from './model/image-support.ts'
export { fromLanguageModel, type LanguageModelSettings, type StreamingModel } from './model/language-model.ts'
export type { ModelListing } from './model/list.ts'
export { answerLimits } from './model/answer-limits.ts'
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
export type { Patience } from './model/patience.ts'
export { rehearsal } from './model/rehearsal.ts'
export { createModels, type Models } from './model/resolve.ts'
