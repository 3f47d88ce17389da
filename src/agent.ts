// One turn, step by step: model calls, tool calls, and the tools that read what the context left out.
export { callFacts, readFacts, resultFacts } from './agent/call-facts.ts'
export { OverBudgetError } from './agent/hold-model-call.ts'
export { readHistoryTool } from './agent/read-history.ts'
export { readResultTool } from './agent/read-result.ts'
export { isProviderFault, type RetryRule, retryWait } from './agent/retry-wait.ts'
export { resultText } from './agent/shown-result.ts'
export { askModel, runTurn } from './agent/turn.ts'
export {
  type Approvals,
  type CallEnd,
  type CallHold,
  type Delta,
  type BudgetApproval,
  type TurnHealth,
  type Journal,
  type ModelCall,
  type Step,
  stopping,
  type TurnOutput,
  type TurnSetup,
} from './agent/turn-setup.ts'
export type { RetryNotice } from './capability.ts'
