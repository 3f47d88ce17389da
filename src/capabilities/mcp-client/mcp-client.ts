import { capability } from '../../capability.ts'
import type { McpService } from './mcp-service.ts'
import { type McpSettings, mcpSettings, unusedFields } from './mcp-settings.ts'

export const mcpClient = capability<McpSettings, McpService>({
  name: 'mcp',
  summary: 'offers the tools of MCP servers',
  settings: {
    schema: mcpSettings,
    warnings: ({ servers }) => Object.entries(servers).flatMap(([name, server]) => unusedFields(name, server)),
    ofPerson: (settings) => ({
      ...settings,
      servers: Object.fromEntries(Object.entries(settings.servers).filter(([, { people }]) => people)),
    }),
  },
  home: {
    unconfined: ({ servers }) =>
      Object.entries(servers)
        .filter(([, { command, enabled, sandbox }]) => command !== undefined && enabled && sandbox === 'off')
        .map(([name]) => `the MCP server ${name} runs without a sandbox`),
  },
  async checks({ settings: { servers } }) {
    const names = Object.keys(servers)
    if (names.length === 0) return []
    return [{ check: 'mcp', level: 'ok', message: `${names.length === 1 ? 'server' : 'servers'} ${names.join(', ')}` }]
  },
  start: async (host) => (await import('./mcp-service.ts')).startMcp(host),
  tools: ({ service }) => service.opened()?.tools() ?? [],
  lifecycle: {
    ready: async ({ service }) => service.opened()?.ready(),
    reload: async ({ service }) => service.opened()?.reload(),
  },
  // With all of its warnings.
  pins: ({ service }) => [service.opened() ?? []].flat(),
  http: { routes: async (self) => (await import('./http/server-routes.ts')).serverRoutes(self) },
  stop: async ({ service }) => service.opened()?.stop(),
})
