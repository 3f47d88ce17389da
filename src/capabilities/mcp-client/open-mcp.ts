import type { Clock } from '../../platform.ts'
import { isDeepStrictEqual } from 'node:util'
import { serverToolName } from '../../capability.ts'
import { neutralizedWords, wholeCharacter } from '../../context.ts'
import { sentDefinition, type Tool } from '../../tool.ts'
import { type McpDefinition, schemaOwner } from './definition.ts'
import type { McpServerConfiguration } from './server-address.ts'
import { createMcpServer, type McpServer, type McpServerOptions } from './server.ts'

export interface McpOptions extends Omit<McpServerOptions, 'name' | 'configured' | 'onAnswer' | 'onHopeless'> {
  /** By name, in the order in which their tools are offered. */
  readonly servers: Readonly<Record<string, McpServerConfiguration>>
}

/** Servers start this long after the gateway, in the background, ms. A turn ends the wait. */
const AFTER_START = 250

/**
 * Tools of MCP servers, as `server__tool` (docs/decisions/0010-mcp-client.md). What a server offers the first time is
 * accepted; later differences are withheld until the owner accepts them. Accepted tools are offered without any
 * contact, so a restart keeps the head of a request.
 */
export async function openMcp(options: McpOptions) {
  const { environment, accepted, connects, version, confine, redact, clock } = options
  let configured = enabledServers(options.servers)
  let published: PublishedTools = { tools: [], warnings: [] }
  let waits: ReadonlyMap<string, ReturnType<typeof firstAnswer>> = new Map()
  /** Set until the servers are contacted. */
  let callOff: (() => void) | undefined

  let servers = configured.map(createServer)

  function createServer([name, server]: ConfiguredServer): McpServer {
    return createMcpServer({
      name,
      configured: server,
      environment,
      accepted,
      connects,
      version,
      confine,
      redact,
      clock,
      onAnswer: () => waits.get(name)?.answered(),
      onHopeless: () => waits.get(name)?.stop(),
    })
  }

  /** The tools stay the same until this is called again, or something is accepted. */
  function publish(): void {
    published = publishTools(servers)
  }

  async function begin(): Promise<void> {
    callOff?.()
    for (const wait of waits.values()) wait.stop()
    await Promise.all(servers.map((server) => server.load()))
    publish()
    const unseen = configured.filter((_, index) => !servers[index]!.seen())
    waits = new Map(unseen.map(([name, { connectTimeoutMs }]) => [name, firstAnswer(connectTimeoutMs, clock, publish)]))
    if (connects) callOff = clock.timer(AFTER_START, contact)
  }

  function contact(): void {
    callOff?.()
    callOff = undefined
    for (const wait of waits.values()) wait.start()
    for (const server of servers) server.contact()
  }

  await begin()
  return {
    reload: begin,
    /** Works with other servers from now on: those that are configured as before stay as they are. */
    async configure(next: McpOptions['servers']) {
      const before = new Map(configured.map(([name, server], index) => [name, { server, running: servers[index]! }]))
      const entries = enabledServers(next)
      servers = entries.map((entry) => {
        const known = before.get(entry[0])
        if (!known || !isDeepStrictEqual(known.server, entry[1])) return createServer(entry)
        before.delete(entry[0])
        return known.running
      })
      configured = entries
      await Promise.all([...before.values()].map(({ running }) => running.stop()))
      await begin()
      if (callOff) contact()
    },
    server: (name: string) => servers.find((server) => server.name === name),
    tools: () => published.tools,
    async ready() {
      if (callOff) contact()
      if (!connects) return
      await Promise.all([...waits.values()].map((wait) => wait.over))
      const followed = await Promise.all(servers.map((server) => server.followOwner().catch(() => false)))
      if (followed.includes(true)) publish()
    },
    withheld: () => servers.flatMap((server) => server.withheld()),
    async accept(tool: string, digest: string) {
      for (const server of servers) {
        if (!(await server.accept(tool, digest))) continue
        publish()
        return true
      }
      return false
    },
    warnings() {
      const late = [...waits].filter(([, wait]) => wait.isLate()).map(([name]) => name)
      return [
        ...servers.flatMap((server) => server.warnings()),
        ...published.warnings,
        ...late.map((name) => `${name} answered too late. Offer its tools with \`foreword reload\``),
      ]
    },
    async stop() {
      callOff?.()
      for (const wait of waits.values()) wait.stop()
      await Promise.all(servers.map((server) => server.stop()))
    },
  }
}

type ConfiguredServer = readonly [name: string, server: McpServerConfiguration]

function enabledServers(servers: McpOptions['servers']): readonly ConfiguredServer[] {
  return Object.entries(servers).filter(([, server]) => server.enabled)
}

/** The wait for the first answer ever of one server. `onTime` is called if the answer comes before the wait is over. */
function firstAnswer(limitMs: number, clock: Clock, onTime: () => void) {
  const { promise, resolve } = Promise.withResolvers<void>()
  let state: 'waiting' | 'answered' | 'over' | 'late' = 'waiting'
  let callOff: (() => void) | undefined

  function stop(): void {
    callOff?.()
    if (state === 'waiting') state = 'over'
    resolve()
  }

  return {
    over: promise,
    start() {
      if (state === 'waiting') callOff ??= clock.timer(limitMs, stop)
    },
    answered() {
      if (state === 'over') state = 'late'
      if (state !== 'waiting') return
      state = 'answered'
      onTime()
      stop()
    },
    stop,
    /** Whether it answered after the wait was over. */
    isLate: () => state === 'late',
  }
}

interface PublishedTools {
  readonly tools: readonly Tool[]
  readonly warnings: readonly string[]
}

const LONGEST_DESCRIPTION = 1_024

/** Servers in their order, tools by name. Of two tools with one name the first is offered. */
function publishTools(servers: readonly McpServer[]): PublishedTools {
  const all = servers.flatMap((server) => server.offered().map(({ definition }) => publishedTool(server, definition)))
  const first = new Map(all.toReversed().map((tool) => [tool.name, tool]))
  return {
    tools: all.filter((tool) => first.get(tool.name) === tool),
    warnings: [
      ...all
        .filter((tool) => first.get(tool.name) !== tool)
        .map(({ name }) => `the name ${name} is taken by another tool: the second one is left out`),
      ...all.flatMap(signWarning),
    ],
  }
}

/** What a person should look at: few definitions have signs that work on their own by chance. */
function signWarning(tool: Tool): readonly string[] {
  const words = neutralizedWords(sentDefinition(tool).definition.neutralized ?? {})
  return words === '' ? [] : [`the definition of ${tool.name} has ${words}, which the model is sent written out`]
}

/** Never idempotent, whatever the hints of the server claim. The name of the tool names its server. */
function publishedTool(server: McpServer, definition: McpDefinition): Tool {
  const { name, description, inputSchema } = definition
  return {
    name: serverToolName(server.name, name),
    ...(description !== undefined && { description: shortenDescription(description) }),
    inputSchema,
    schemaOwner: schemaOwner(server.name),
    origin: 'tool',
    execute: (input, { signal }) => server.call(definition, input, signal),
  }
}

function shortenDescription(description: string): string {
  const whole = description.toWellFormed()
  if (whole.length <= LONGEST_DESCRIPTION) return whole
  return `${whole.slice(0, wholeCharacter(whole, LONGEST_DESCRIPTION - 1))}…`
}
