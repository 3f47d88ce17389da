import { z } from 'zod'
import { environmentVariable, homePath, httpAddress, milliseconds } from '../../capability.ts'

const server = z.strictObject({
  command: z.string().min(1).optional().describe('Program of a server that runs on this machine.'),
  args: z.array(z.string()).optional().describe('Arguments of that program.'),
  environment: z
    .record(z.string(), environmentVariable())
    .optional()
    .describe('Environment of that program: its variables, and the names of ours that hold their values.'),
  url: httpAddress().optional().describe('Address of a server that is reached over HTTP.'),
  headers: z
    .record(z.string(), environmentVariable())
    .optional()
    .describe(
      'Headers of every request: their names, and the names of our environment variables that hold their values.',
    ),
  directory: homePath().optional().describe('Folder that the program runs in; relative to the home.'),
  enabled: z.boolean().default(true).describe('Whether the server is used.'),
  connectTimeoutMs: milliseconds().default(10_000).describe('How long the server may take to say what it offers, ms.'),
})

/** Keys below `mcp`. */
export const mcpSettings = z
  .strictObject({ servers: z.record(z.string(), server).default({}).describe('MCP servers, by name.') })
  .prefault({})
  .describe('Tools of others, over MCP.')

export type McpSettings = z.infer<typeof mcpSettings>
