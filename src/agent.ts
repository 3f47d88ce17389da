export { describedFacts, resultFacts } from './agent/call-facts.ts'
export { askModel, type StepReply } from './agent/ask-model.ts'
export { readHistoryTool } from './agent/read-history.ts'
export { readResultTool } from './agent/read-result.ts'
export { type RetryRule, retryWait } from './agent/retry-wait.ts'
export { resultText } from './agent/shown-result.ts'
export { runTurn } from './agent/turn.ts'
export {
  type Approvals,
  type Delta,
  type Journal,
  type PreparedCall,
  type RunningTurn,
  type Step,
  stopping,
  type TurnClock,
  type TurnLimits,
  type TurnOutput,
  type TurnSetup,
  type TurnTools,
} from './agent/turn-setup.ts'
export type { RetryNotice } from './capability.ts'
