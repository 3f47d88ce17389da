import { type CapabilityHost, RuntimeError } from '../../capability.ts'
import { serialQueue } from '../../platform.ts'
import type { McpSettings } from './mcp-settings.ts'
import type { ConfinedProgram } from '../../tool.ts'
import type { McpOptions, openMcp } from './open-mcp.ts'
import type { ProgramAddress } from './program-transport.ts'
import type { McpServerConfiguration } from './server-address.ts'
import type { McpServer, McpServerStatus } from './server.ts'

type OpenMcp = Awaited<ReturnType<typeof openMcp>>

export type McpService = Awaited<ReturnType<typeof startMcp>>

export interface ServerWithStatus {
  readonly name: string
  readonly status:
    | McpServerStatus
    | { readonly state: 'disabled'; readonly warnings: readonly []; readonly stderr: readonly [] }
  readonly running: McpServer | undefined
}

export async function startMcp(host: CapabilityHost<McpSettings>) {
  const { home, environment, clock, version, store, writes, sandbox, warn, ofOwner } = host
  let { settings } = host
  let opened: OpenMcp | undefined
  const changes = serialQueue()
  const acceptedKey = (server: string) => `mcp/accepted/${server}`

  async function confine({ argv, folder = home.workspace, sandbox: kind }: ProgramAddress): Promise<ConfinedProgram> {
    const confined = await sandbox.enter({ argv, folder }, kind === 'network')
    return {
      ...confined,
      async leave() {
        const left = await confined.leave()
        const { moved, changed, fault } = left
        const listed = moved.join(', ')
        if (moved.length > 0) {
          warn(
            `The MCP server ${argv[0]} made files that only the owner may make: ${listed}. They are in data/set-aside.`,
          )
        }
        if (changed.length > 0) {
          warn(`The MCP server ${argv[0]} changed files that decide what other programs run: ${changed.join(', ')}.`)
        }
        if (fault !== undefined) warn(`The MCP server ${argv[0]} made files that only the owner may make: ${fault}.`)
        return left
      },
    }
  }

  async function open(): Promise<void> {
    if (Object.keys(settings.servers).length === 0) return
    const { openMcp: openServers } = await import('./open-mcp.ts')
    opened = await openServers({
      servers: runnable(settings, home.folder),
      environment,
      clock,
      version,
      confine,
      redact: host.redact,
      connects: writes,
      accepted: {
        read: (server) => store.value(acceptedKey(server)),
        write: (server, definitions) => store.putValue(acceptedKey(server), definitions),
        ...(ofOwner && { byOwner: (server) => ofOwner.value(acceptedKey(server)) }),
      },
    })
  }

  await open()
  return {
    /** `undefined` while none was ever configured. */
    opened: () => opened,
    /** Every configured server, those that are not used too. */
    servers: (): readonly ServerWithStatus[] =>
      Object.keys(settings.servers).map((name) => {
        const running = opened?.server(name)
        return { name, running, status: running?.status() ?? { state: 'disabled', warnings: [], stderr: [] } }
      }),
    async restart(name: string): Promise<void> {
      const server = opened?.server(name)
      if (!server) throw noSuchServer(name, Object.keys(settings.servers))
      await server.restart()
    },
    configure: (next: McpSettings): Promise<void> =>
      changes.add(async () => {
        settings = next
        await (opened ? opened.configure(runnable(next, home.folder)) : open())
      }),
  }
}

/** Programs run in the home unless configured otherwise, and not where the gateway was started. */
function runnable({ servers }: McpSettings, folder: string): McpOptions['servers'] {
  return Object.fromEntries(
    Object.entries(servers).map(([name, server]): [string, McpServerConfiguration] => [
      name,
      { directory: folder, ...server },
    ]),
  )
}

function noSuchServer(name: string, known: readonly string[]): RuntimeError {
  const hint =
    known.length === 0
      ? 'No server is configured. Add one to mcp.servers of config.json.'
      : `There are ${known.join(', ')}.`
  return new RuntimeError(
    'not-found',
    `No MCP server in use has the name ${name.slice(0, 200)}.`,
    { server: name },
    { hint },
  )
}
