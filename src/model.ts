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
