export type { Tool, ToolContext, ToolResult } from './tool/tool.ts'
