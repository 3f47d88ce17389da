import {
  capability,
  environmentVariable,
  homePath,
  httpAddress,
  milliseconds,
  type SettingsWarning,
} from '../../capability.ts'
import { z } from 'zod'

const serverSettings = z.strictObject({
  command: z.string().min(1).optional().describe('Program of a server on this machine.'),
  args: z.array(z.string()).optional().describe('Arguments of that program.'),
  environment: z
    .record(z.string(), environmentVariable())
    .optional()
    .describe(
      'Environment of that program: its variables, and for each the environment variable of Foreword with the value.',
    ),
  url: httpAddress().optional().describe('Address of a server over HTTP.'),
  headers: z
    .record(z.string(), environmentVariable())
    .optional()
    .describe(
      'Headers of every request: their names, and for each the environment variable of Foreword with the value.',
    ),
  directory: homePath().optional().describe('Working directory of the program, relative to the home.'),
  enabled: z.boolean().default(true).describe('Whether the server is used.'),
  connectTimeoutMs: milliseconds()
    .default(10_000)
    .describe('Time limit for the server to connect and list what it offers, ms.'),
})

/** Keys below `mcp`. */
const mcpSettings = z
  .strictObject({ servers: z.record(z.string(), serverSettings).default({}).describe('MCP servers, by name.') })
  .prefault({})
  .describe('MCP servers whose tools the agent may use.')

type McpSettings = z.infer<typeof mcpSettings>

/** Tools of MCP servers. */
export const mcpClient = capability({
  name: 'mcp',
  summary: 'offers the tools of MCP servers',
  settings: mcpSettings,
  settingsWarnings: ({ servers }) => Object.entries(servers).flatMap(([name, server]) => unusedFields(name, server)),
  async checks({ settings: { servers } }) {
    const names = Object.keys(servers)
    if (names.length === 0) return []
    return [{ check: 'mcp', level: 'ok', message: `${names.length === 1 ? 'server' : 'servers'} ${names.join(', ')}` }]
  },
  async start({ settings, home, environment, version, store, writes }) {
    const servers = Object.entries(settings.servers)
    if (servers.length === 0) return undefined
    const { openMcp } = await import('./open-mcp.ts')
    const acceptedKey = (server: string) => `mcp/accepted/${server}`
    return openMcp({
      // Programs run in the home unless configured otherwise, and not where the gateway was started.
      servers: Object.fromEntries(servers.map(([name, server]) => [name, { directory: home.folder, ...server }])),
      environment,
      version,
      connects: writes,
      accepted: {
        read: (server) => store.value(acceptedKey(server)),
        write: (server, definitions) => store.putValue(acceptedKey(server), definitions),
      },
    })
  },
  tools: ({ service }) => service?.tools() ?? [],
  ready: async ({ service }) => service?.ready(),
  reload: async ({ service }) => service?.reload(),
  withheld: ({ service }) => service?.withheld() ?? [],
  accept: async ({ service }, tool, digest) => (await service?.accept(tool, digest)) ?? false,
  warnings: ({ service }) => service?.warnings() ?? [],
  stop: async ({ service }) => service?.stop(),
})

function unusedFields(name: string, server: McpSettings['servers'][string]): readonly SettingsWarning[] {
  const { command, url } = server
  if ((command === undefined) === (url === undefined)) return []
  const useless = command === undefined ? (['args', 'environment', 'directory'] as const) : (['headers'] as const)
  return useless
    .filter((field) => server[field] !== undefined)
    .map((field) => ({
      key: `servers.${name}.${field}`,
      message: `has no effect on a server with ${command === undefined ? 'url' : 'command'}`,
      hint: 'Remove it.',
    }))
}
