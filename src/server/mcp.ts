export { type McpStdioOptions, serveMcpOverStdio } from './mcp/stdio.ts'
export type { StdioConnection } from './mcp/stdio-door.ts'
