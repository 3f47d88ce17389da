import type { ToolContext, ToolResult } from '../../tool.ts'
import type { WithheldTool } from '../plugin.ts'
import { type AcceptedStore, createAcceptance } from './acceptance.ts'
import { sealed, type SealedDefinition } from './acceptance-record.ts'
import { type Connection, openConnection } from './connection.ts'
import { ConnectionFault } from './connection-fault.ts'
import { type McpDefinition, readDefinition } from './definition.ts'
import { createLink, type Later } from './link.ts'
import { redaction } from './redaction.ts'
import { toolResultOf } from './result-text.ts'
import { type McpServerConfiguration, readAddress } from './server-address.ts'

/** One configured server: what was accepted of it, and the connection to it. */
export interface McpServer {
  readonly name: string
  /** Reads what was accepted. */
  load(): Promise<void>
  /** Goes and asks what the server offers, now and whenever it was lost. Never rejects; nobody waits for it. */
  contact(): void
  /** Whether what the server offers is known, from now or from earlier. */
  seen(): boolean
  /** What may be offered now, in the order of the names. */
  offered(): readonly McpDefinition[]
  call(definition: McpDefinition, input: unknown, context: ToolContext): Promise<ToolResult>
  withheld(): readonly WithheldTool[]
  accept(name: string, digest: string): Promise<boolean>
  warnings(): readonly string[]
  /** Leaves nothing running. Never rejects. */
  stop(): Promise<void>
}

export interface McpServerOptions {
  readonly name: string
  readonly configured: McpServerConfiguration
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly accepted: AcceptedStore
  readonly connects: boolean
  readonly version: string
  readonly later: Later
  /** What the server offers has been learned. */
  readonly onAnswer: () => void
  /** The server cannot be started, so there is no use in waiting for it. */
  readonly onHopeless: () => void
}

/** The most tools of one server. */
const MOST_TOOLS = 256

export function createServer(options: McpServerOptions): McpServer {
  const { name, configured, connects, version, later, onAnswer, onHopeless } = options
  const { address, secrets, warnings: addressWarnings } = readAddress(name, configured, options.environment)
  const clean = redaction(secrets)
  const acceptance = createAcceptance(name, options.accepted)
  const limit = configured.connectTimeoutMs
  const link = createLink(open, later)
  let isTrusted = false
  let leftOut: readonly string[] = []

  async function open(signal: AbortSignal): Promise<Listed> {
    const time = new AbortController()
    const end = AbortSignal.any([signal, time.signal])
    const tooLate = new Error(`it did not say within ${limit} ms what it offers (connectTimeoutMs)`)
    const callOff = later(limit, () => time.abort(tooLate))
    try {
      const connection = await openConnection({
        address: address!,
        version,
        timeoutMs: limit,
        signal: end,
        onListChanged: () => listed?.listAgain(),
      })
      const listed = keepListed(connection)
      try {
        await listed.listed(end)
        return listed
      } catch (error) {
        await connection.close()
        throw end.aborted ? end.reason : error
      }
    } catch (error) {
      if (error instanceof ConnectionFault && error.isHopeless) onHopeless()
      throw error
    } finally {
      callOff()
    }
  }

  /** A connection together with the knowledge of what its server offers. */
  function keepListed(connection: Connection): Listed {
    let listing: Promise<void> | undefined
    let isStale = true

    async function list(): Promise<void> {
      while (isStale) {
        isStale = false
        const said = await connection.list(AbortSignal.timeout(limit))
        const { offered, faults } = await readOffered(said)
        leftOut = faults.map((fault) => `${name} ${fault}`)
        await acceptance.compare(offered)
      }
      onAnswer()
    }

    /** Joins the reading that goes on, if one does; otherwise begins one where something may have changed. */
    async function listed(): Promise<void> {
      if (isStale) listing ??= list().finally(() => (listing = undefined))
      await listing
    }

    return {
      connection,
      ended: connection.ended,
      close: connection.close,
      async listed(signal) {
        signal?.throwIfAborted()
        await listed()
      },
      listAgain() {
        isStale = true
        listed().catch(() => connection.close())
      },
    }
  }

  async function call(definition: McpDefinition, input: unknown, { signal }: ToolContext): Promise<ToolResult> {
    const fault = isTrusted ? acceptance.faultOf(definition.name) : undefined
    if (fault !== undefined) return { ok: false, error: clean(fault) }
    if (!connects) return unreachable('it is not contacted from here')
    if (!address) return unreachable(addressWarnings.at(-1) ?? 'it has no address')
    if (!isTrusted) return unreachable('what was accepted of it could not be read')
    try {
      return await called(definition, input, signal)
    } catch (error) {
      // The server has not seen the call, so it does no harm to make it once more.
      if (!(error instanceof ConnectionFault) || !error.isUnheard || signal.aborted) return failedCall(error)
      return await called(definition, input, signal).catch(failedCall)
    }
  }

  async function called(definition: McpDefinition, input: unknown, signal: AbortSignal): Promise<ToolResult> {
    const { connection, listed } = await link.connection().catch((error: unknown) => {
      throw new NoConnection(error)
    })
    await listed()
    signal.throwIfAborted()
    const fault = acceptance.faultOf(definition.name)
    if (fault !== undefined) return { ok: false, error: clean(fault) }
    try {
      return toolResultOf(await connection.call(definition, input, signal), clean)
    } catch (error) {
      if (error instanceof ConnectionFault && error.isLost) await connection.close()
      throw error
    }
  }

  function failedCall(error: unknown): ToolResult {
    if (error instanceof NoConnection) return unreachable(error.message)
    const why = error instanceof Error ? error.message : String(error)
    const isLost = error instanceof ConnectionFault && error.isLost && !error.isUnheard
    const said = isLost
      ? `the MCP server ${name} was lost during the call, which may or may not have taken effect: ${why}`
      : `the MCP server ${name} did not carry out the call: ${why}`
    return { ok: false, error: clean(said) }
  }

  function unreachable(why: string): ToolResult {
    return { ok: false, error: clean(`the MCP server ${name} cannot be reached: ${why}`) }
  }

  return {
    name,
    async load() {
      isTrusted = await acceptance.load()
    },
    contact() {
      if (!connects || !address || !isTrusted) return
      link.connection().then(
        ({ listAgain }) => listAgain(),
        () => {},
      )
    },
    seen: () => acceptance.seen() || !connects || !address || !isTrusted,
    offered: acceptance.offered,
    call,
    withheld: acceptance.withheld,
    accept: acceptance.accept,
    warnings() {
      const trouble = link.trouble()
      const lost = trouble === undefined ? [] : [`${name} cannot be reached: ${trouble}`]
      return [...addressWarnings, ...acceptance.warnings(), ...leftOut, ...lost].map(clean)
    },
    stop: link.stop,
  }
}

interface Listed {
  readonly connection: Connection
  readonly ended: Promise<string>
  close(): Promise<void>
  /** Resolves once what the server offers is known and compared, as far as it said that something changed. */
  listed(signal?: AbortSignal): Promise<void>
  listAgain(): void
}

/** The call was not made: there was nobody to make it to. */
class NoConnection extends Error {
  constructor(cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause })
  }
}

interface Offered {
  readonly offered: readonly SealedDefinition[]
  /** Sentences that go on from the name of the server. */
  readonly faults: readonly string[]
}

/** What a server said of its tools, without those that cannot be offered. */
async function readOffered(said: { readonly tools: readonly unknown[]; readonly isAll: boolean }): Promise<Offered> {
  const faults: string[] = []
  const byName = new Map<string, SealedDefinition>()
  for (const tool of said.tools) {
    const read = await readDefinition(tool)
    if (read.type === 'faulty') faults.push(`offers ${read.why}; it is left out`)
    else if (byName.has(read.definition.name)) {
      faults.push(`offers the tool ${JSON.stringify(read.definition.name)} twice; the first one counts`)
    } else byName.set(read.definition.name, sealed(read.definition))
  }
  const names = [...byName.keys()].toSorted((left, right) => (left < right ? -1 : 1))
  const kept = names.slice(0, MOST_TOOLS)
  if (!said.isAll || names.length > kept.length) {
    faults.push(`offers more tools than the ${MOST_TOOLS} that are taken: the first by name are used`)
  }
  return { offered: kept.map((name) => byName.get(name)!), faults: faults.slice(0, 20) }
}
