export { type McpStdioOptions, type OpenHome, serveMcpOverStdio, type StdioConnection } from './mcp/stdio.ts'
// What tools, resources and prompts of capabilities are made with.
export { parsedAddress, resourceAddress } from './mcp/definitions.ts'
export { answeredQuestion, askPerson, type AskingCall, type PersonQuestion } from './mcp/ask-person.ts'
export { type McpAudit, mcpAudit } from './mcp/audited.ts'
export type { McpAddition } from './mcp/catalogue.ts'
export { envelopeSchema, failed, failureReply, succeeded } from './mcp/envelope.ts'
export { invalidParams } from './mcp/protocol-server.ts'
