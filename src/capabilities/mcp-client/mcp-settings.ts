import { environmentVariable, homePath, httpAddress, milliseconds, type SettingsWarning } from '../../capability.ts'
import { z } from 'zod'

const serverSettings = z.strictObject({
  command: z
    .string()
    .min(1)
    .meta({ ofMachine: 'with-all' })
    .optional()
    .describe('Program of a server on this machine.'),
  args: z.array(z.string()).optional().describe('Arguments of that program.'),
  environment: z
    .record(z.string(), environmentVariable())
    .meta({ ofMachine: true })
    .optional()
    .describe(
      'Environment of that program: its variables, and for each the environment variable of Foreword with the value.',
    ),
  url: httpAddress().optional().describe('Address of a server over HTTP.'),
  headers: z
    .record(z.string(), environmentVariable())
    .meta({ ofMachine: true })
    .optional()
    .describe(
      'Headers of every request: their names, and for each the environment variable of Foreword with the value.',
    ),
  directory: homePath().optional().describe('Working directory of the program, relative to the home.'),
  sandbox: z
    .enum(['off', 'network', 'closed'])
    .default('off')
    .describe(
      'How the program is confined. `off`: it can do what you can. `network`: it can change the workspace and use the network. `closed`: the same without network.',
    ),
  enabled: z.boolean().default(true).describe('Whether the server is used.'),
  people: z
    .boolean()
    .default(false)
    .describe(
      'Whether the other people of this gateway have its tools, too. Each of them gets a connection of their own.',
    ),
  connectTimeoutMs: milliseconds()
    .default(10_000)
    .describe('Time limit for the server to connect and list what it offers, ms.'),
})

/** Keys below `mcp`. */
export const mcpSettings = z
  .strictObject({ servers: z.record(z.string(), serverSettings).default({}).describe('MCP servers, by name.') })
  .prefault({})
  .describe('MCP servers whose tools the agent may use.')

export type McpSettings = z.infer<typeof mcpSettings>

/** Keys that mean nothing beside `command`, or beside `url`. */
export function unusedFields(name: string, server: McpSettings['servers'][string]): readonly SettingsWarning[] {
  const { command, url } = server
  if ((command === undefined) === (url === undefined)) return []
  const useless =
    command === undefined ? (['args', 'environment', 'directory', 'sandbox'] as const) : (['headers'] as const)
  return useless
    .filter((field) => server[field] !== undefined && server[field] !== 'off')
    .map((field) => ({
      key: `servers.${name}.${field}`,
      message: `has no effect on a server with ${command === undefined ? 'url' : 'command'}`,
      hint: 'Remove it.',
    }))
}
