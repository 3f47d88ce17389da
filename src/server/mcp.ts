// The MCP server: over the standard input and output here, over HTTP at `/mcp` of a gateway.
export { serveMcpOverStdio } from './mcp/stdio.ts'
// For the tools, resources and prompts of capabilities.
export { parseResourceAddress, resourceAddress } from './mcp/definitions.ts'
export { elicitedAnswer, elicitAnswer, type McpToolRequest } from './mcp/ask-person.ts'
export { type McpAudit, createMcpAudit } from './mcp/audit.ts'
export { envelopeSchema, failureEnvelope, successEnvelope } from './mcp/envelope.ts'
export { invalidParams } from './mcp/protocol-server.ts'
