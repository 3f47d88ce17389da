export { readHistoryTool } from './agent/read-history.ts'
export { runTurn } from './agent/turn.ts'
export { stopping } from './agent/stopping.ts'
export type { Delta, PreparedCall, Step, TurnSetup } from './agent/turn-setup.ts'
