import { z } from 'zod'
import { type Route, jsonAnswer, route, RuntimeError, type Self, serverToolName } from '../../../capability.ts'
import { toolTokens } from '../../../context.ts'
import { serialQueue } from '../../../platform.ts'
import { digestSchema, json } from '../../../server.ts'
import { type McpSettings, mcpSettings, unusedFields } from '../mcp-settings.ts'
import type { ServerWithStatus, McpService } from '../mcp-service.ts'
import { readAddress } from '../server-address.ts'
import { listedServer } from './server-answers.ts'

const KEY = ['mcp', 'servers']

const name = z
  .string()
  .regex(/^[A-Za-z0-9][\w.-]{0,63}$/, 'has letters, digits, dots, hyphens and underscores only, at most 64')
  .describe('Its tools are named after it: NAME__tool.')

const change = {
  name: name.optional().describe('The server that is added, changed or removed.'),
  server: z.looseObject({}).nullish().describe('As `mcp.servers.NAME` of config.json has it; `null` removes it.'),
  version: z.int().min(1).optional().describe('In place of a name: all servers as they were in this version.'),
}

const changeBody = z.strictObject(change)
const saveBody = z.strictObject({
  ...change,
  digest: digestSchema.describe('The digest of the configuration that was read.'),
})

export function serverRoutes(self: Self<McpSettings, McpService>): readonly Route[] {
  const { service, runtime } = self
  const { configuration } = runtime
  const tag = 'mcp'
  const alone = serialQueue()

  async function view(): Promise<unknown> {
    const { written, digest } = await configuration.value(KEY)
    const inFile = (written ?? {}) as Readonly<Record<string, unknown>>
    const servers = service.servers().map((server) => ({ ...shown(server, self), written: inFile[server.name] }))
    return { digest, servers }
  }

  async function wanted(asked: z.output<typeof changeBody>): Promise<{ key: readonly string[]; value: unknown }> {
    const { name: server, server: settings, version } = asked
    const hint = 'Send `name` and `server` for one server, or `version` alone for all of them as they were.'
    if (version === undefined) {
      if (server !== undefined && settings !== undefined) return { key: [...KEY, server], value: settings ?? undefined }
      throw new RuntimeError(
        'invalid-input',
        'The change names neither a server with its settings nor a version.',
        {},
        { hint },
      )
    }
    if (server !== undefined || settings !== undefined)
      throw new RuntimeError('invalid-input', 'The change names a server and a version.', {}, { hint })
    const found = (await configuration.versions(KEY)).find((each) => each.version === version)
    if (found) return { key: KEY, value: JSON.parse(found.text) as unknown }
    throw new RuntimeError(
      'not-found',
      `No version of the servers has the number ${version}.`,
      { version },
      { hint: 'GET /api/mcp-servers/versions lists them.' },
    )
  }

  return [
    route('GET /api/mcp-servers', {
      scope: 'admin',
      tag,
      summary: 'Lists the configured MCP servers, how each is now, and its tools',
      answers: () =>
        jsonAnswer('`digest` is that of config.json: what a change is based on', {
          digest: z.string(),
          servers: z.array(listedServer),
        }),
      handle: () => view(),
    }),
    route('POST /api/mcp-servers/:server/restart', {
      scope: 'admin',
      tag,
      summary: 'Ends the connection to a server and opens another one',
      answers: () => jsonAnswer('The server, once it runs or has failed', listedServer),
      handle: async ({ param }) =>
        alone.add(async () => {
          const asked = param('server')
          await service.restart(asked)
          const server = service.servers().find((each) => each.name === asked)
          if (server) return json(shown(server, self))
          const hint = 'GET /api/mcp-servers lists them.'
          throw new RuntimeError('not-found', `No MCP server has the name ${asked}.`, { server: asked }, { hint })
        }),
    }),
    route('POST /api/mcp-servers/preview', {
      scope: 'admin',
      tag,
      summary: 'Shows config.json with a server added, changed or removed. Writes nothing, and starts nothing',
      body: changeBody,
      answers: () =>
        jsonAnswer('The difference, what is wrong, and what is odd', {
          digest: z.string(),
          difference: z.string(),
          problems: z.array(z.string()),
          warnings: z.array(z.string()),
        }),
      async handle({ body }) {
        const { key, value } = await wanted(body)
        const preview = await configuration.preview(key, value)
        const servers = key.length === KEY.length ? value : { [key.at(-1)!]: value }
        const warnings = preview.problems.length > 0 ? [] : serverWarnings(servers, self.environment)
        return { ...preview, warnings }
      },
    }),
    route('PUT /api/mcp-servers', {
      scope: 'admin',
      tag,
      summary: 'Writes a server into config.json, or removes it, and works with that at once',
      description: 'The program of a server is started on this machine. What was configured before is kept.',
      body: saveBody,
      answers: () => jsonAnswer('The servers', { digest: z.string(), servers: z.array(listedServer) }),
      // One after another: what was written last is what runs.
      handle: async ({ body: { digest, ...asked }, caller }) =>
        alone.add(async () => {
          await configuration.set({ ...(await wanted(asked)), kept: KEY, digest, by: caller.by })
          const { effective } = await configuration.value(['mcp'])
          await service.configure(effective as McpSettings)
          return json(await view())
        }),
    }),
    route('GET /api/mcp-servers/versions', {
      scope: 'admin',
      tag,
      summary: 'Lists the servers that were configured before, as JSON, newest first',
      answers: () =>
        jsonAnswer('The versions', {
          versions: z.array(z.object({ version: z.number(), time: z.string(), text: z.string() })),
        }),
      handle: async () => ({ versions: await configuration.versions(KEY) }),
    }),
  ]
}

function shown(
  { name: server, status, running }: ServerWithStatus,
  { counter }: Self<McpSettings, McpService>,
): object {
  return {
    name: server,
    ...status,
    tools: (running?.offered() ?? []).map(({ definition, digest }) => {
      const tool = { ...definition, name: serverToolName(server, definition.name) }
      return { name: tool.name, tokens: toolTokens(counter, tool), digest }
    }),
    withheld: (running?.withheld() ?? []).map((each) => each.name),
  }
}

/** What is odd about servers that fit the schema: values without effect, variables that are not set. */
function serverWarnings(
  servers: unknown,
  environment: Readonly<Record<string, string | undefined>>,
): readonly string[] {
  const read = mcpSettings.safeParse({ servers: withoutRemoved(servers) })
  if (!read.success) return []
  return Object.entries(read.data.servers).flatMap(([id, server]) => [
    ...unusedFields(id, server).map(({ key, message, hint }) => `mcp.${key} ${message}. ${hint}`),
    ...readAddress(id, server, environment).warnings.map((warning) => `${warning}.`),
  ])
}

function withoutRemoved(servers: unknown): unknown {
  return Object.fromEntries(Object.entries(servers ?? {}).filter(([, server]) => server !== undefined))
}
