export { fromLanguageModel, type LanguageModelSettings, type StreamingModel } from './model/language-model.ts'
export type {
  CacheRules,
  CallOptions,
  FinishReason,
  Model,
  ModelEvent,
  ModelFacts,
  ModelRequest,
  ModelUsage,
  Price,
} from './model/model.ts'
export { ModelError, type ModelErrorCode, type ModelErrorFacts } from './model/model-error.ts'
export { type Overflow, recogniseOverflow } from './model/overflow.ts'
export { DEFAULT_PATIENCE, type Patience } from './model/patience.ts'
