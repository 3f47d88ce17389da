// The MCP server: over the standard input and output here, over HTTP at `/mcp` of a gateway.
export { type McpStdioOptions, type OpenHome, serveMcpOverStdio, type StdioConnection } from './mcp/stdio.ts'
// For the tools, resources and prompts of capabilities.
export { parseResourceAddress, resourceAddress } from './mcp/definitions.ts'
export { elicitedAnswer, elicitAnswer, type AskingCall, type PersonQuestion } from './mcp/ask-person.ts'
export { type McpAudit, createMcpAudit } from './mcp/audit.ts'
export type { McpContributionSource } from './mcp/catalogue.ts'
export { envelopeSchema, failureEnvelope, failureReply, successEnvelope } from './mcp/envelope.ts'
export { invalidParams } from './mcp/protocol-server.ts'
