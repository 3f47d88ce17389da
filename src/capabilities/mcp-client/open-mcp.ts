import type { AcceptedStore } from './acceptance.ts'
import { type Later, realLater } from './link.ts'
import { firstAnswer, type FirstAnswer } from './first-answer.ts'
import { publishedTools, type PublishedTools } from './published-tools.ts'
import { createServer } from './server.ts'
import type { McpServerConfiguration } from './server-address.ts'

export interface McpOptions {
  /** By name, in the order in which their tools are offered. */
  readonly servers: Readonly<Record<string, McpServerConfiguration>>
  /** Where variables that a server is given are looked up. */
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly accepted: AcceptedStore
  /** `false`: what was accepted is offered, and nobody is contacted. For whoever only looks. */
  readonly connects: boolean
  /** Of Foreword, as servers are told. */
  readonly version: string
  /** Timers; the real ones unless given. */
  readonly later?: Later
}

/** The gateway should be up before servers are started in its background, ms. A turn that is asked for ends the wait. */
const AFTER_START = 250

/**
 * Tools of MCP servers, as `server__tool` (docs/decisions/0010-mcp-client.md). What a server offers the first time is
 * accepted; what differs from it later is withheld until the owner accepts that. Tools are offered from what was accepted,
 * before and without any contact, so that the head of a request is the same before and after a restart.
 */
export async function openMcp(options: McpOptions) {
  const { environment, accepted, connects, version, later = realLater } = options
  const configured = Object.entries(options.servers).filter(([, server]) => server.enabled)
  let published: PublishedTools = { tools: [], warnings: [] }
  let waits: ReadonlyMap<string, FirstAnswer> = new Map()
  /** There while the contact is still to come. */
  let callOff: (() => void) | undefined

  const servers = configured.map(([name, server]) =>
    createServer({
      name,
      configured: server,
      environment,
      accepted,
      connects,
      version,
      later,
      onAnswer: () => waits.get(name)?.answered(),
      onHopeless: () => waits.get(name)?.stop(),
    }),
  )

  /** Until this is called again, or something is accepted, the tools stay what they are. */
  function publish(): void {
    published = publishedTools(servers)
  }

  async function begin(): Promise<void> {
    callOff?.()
    for (const wait of waits.values()) wait.stop()
    await Promise.all(servers.map((server) => server.load()))
    publish()
    const unseen = configured.filter((_, index) => !servers[index]!.seen())
    waits = new Map(unseen.map(([name, { connectTimeoutMs }]) => [name, firstAnswer(connectTimeoutMs, later, publish)]))
    if (connects) callOff = later(AFTER_START, contact)
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
    tools: () => published.tools,
    async ready() {
      if (callOff) contact()
      if (connects) await Promise.all([...waits.values()].map((wait) => wait.over))
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
        ...late.map((name) => `${name} answered later than it was waited for: \`foreword reload\` offers its tools`),
      ]
    },
    async stop() {
      callOff?.()
      for (const wait of waits.values()) wait.stop()
      await Promise.all(servers.map((server) => server.stop()))
    },
  }
}
