export type { ToolFailure } from './tool/failed.ts'
export { cappedText } from './tool/output-cap.ts'
export type { Tool, ToolCall, ToolContext, ToolResult } from './tool/tool.ts'
export {
  createToolbox,
  type GateAnswer,
  type RunContext,
  type Toolbox,
  type ToolboxOptions,
  type ToolGate,
} from './tool/toolbox.ts'
