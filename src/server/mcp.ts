// The MCP server: over the standard input and output here, over HTTP at `/mcp` of a gateway.
export { type McpStdioOptions, type OpenHome, serveMcpOverStdio, type StdioConnection } from './mcp/stdio.ts'
// For the tools, resources and prompts of capabilities.
export { parsedAddress, resourceAddress } from './mcp/definitions.ts'
export { answeredQuestion, askPerson, type AskingCall, type PersonQuestion } from './mcp/ask-person.ts'
export { type McpAudit, mcpAudit } from './mcp/audit.ts'
export type { McpAddition } from './mcp/catalogue.ts'
export { envelopeSchema, failed, failureReply, succeeded } from './mcp/envelope.ts'
export { invalidParams } from './mcp/protocol-server.ts'
