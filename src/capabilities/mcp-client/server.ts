import { type Clock, inSlices, knownSecrets, errorMessage, redactData } from '../../platform.ts'
import { type AcceptedStore, createAcceptance } from './acceptance.ts'
import { renderResult } from './call-result.ts'
import { ConnectionFault, openMcpConnection } from './connection.ts'
import type { SealedDefinition, McpDefinition } from './definition.ts'
import { createLink, type ListedConnection, listedConnection } from './link.ts'
import type { Confine } from './program-transport.ts'
import { type McpServerConfiguration, readAddress } from './server-address.ts'
import { phrase } from '../../context.ts'
import type { ToolResult } from '../../tool.ts'

export interface McpServerOptions {
  readonly name: string
  readonly configured: McpServerConfiguration
  /** Where its variables are looked up. */
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly accepted: AcceptedStore
  /** `false`: accepted tools are offered, and it is not contacted. For commands that only read. */
  readonly connects: boolean
  readonly version: string
  readonly confine: Confine
  /** Takes out secrets that are known: what a server says of its tools is kept, shown and sent. */
  readonly redact: (text: string) => string
  readonly clock: Clock
  readonly onAnswer: () => void
  /** The server cannot be started, so waiting for it is useless. */
  readonly onHopeless: () => void
}

export type McpServer = ReturnType<typeof createMcpServer>

export function createMcpServer(options: McpServerOptions) {
  const { name, configured, connects, version, clock, onAnswer, onHopeless } = options
  const { address, secrets, warnings: addressWarnings } = readAddress(name, configured, options.environment)
  const own = knownSecrets(secrets)
  const clean = (text: string) => options.redact(own.redact(text))
  const acceptance = createAcceptance(name, options.accepted)
  const limit = configured.connectTimeoutMs
  const link = createLink(open, clock)
  let isTrusted = false
  let wasContacted = false
  let leftOut: readonly string[] = []
  let lastLines: () => readonly string[] = () => []

  async function open(signal: AbortSignal): Promise<ListedConnection> {
    const time = new AbortController()
    const end = AbortSignal.any([signal, time.signal])
    const callOff = clock.timer(limit, () =>
      time.abort(new Error(`it did not say within ${limit} ms what it offers (connectTimeoutMs)`)),
    )
    try {
      return await openListed(end)
    } catch (error) {
      if (error instanceof ConnectionFault && error.isHopeless) onHopeless()
      throw end.aborted ? end.reason : error
    } finally {
      callOff()
    }
  }

  async function openListed(end: AbortSignal): Promise<ListedConnection> {
    let listed: ListedConnection | undefined
    const onListChanged = () => listed?.listAgain()
    const connection = await openMcpConnection({
      address: address!,
      confine: address!.type === 'program' && address!.sandbox !== 'off' ? options.confine : undefined,
      version,
      clock,
      timeoutMs: limit,
      signal: end,
      onListChanged,
      onProgram(lines) {
        // A program that has ended is started again soon: its last words are of use longer than that.
        const earlier = lastLines()
        lastLines = () => [...earlier, ...lines()].slice(-MOST_LINES)
      },
    })
    const onAbort = () => void connection.close()
    end.addEventListener('abort', onAbort, { once: true })
    try {
      const list = async (signal: AbortSignal) => {
        const answer = await connection.list(signal)
        // The answer was parsed in the same moment.
        await clock.yield()
        const tools: unknown[] = []
        await inSlices(clock, answer.tools, (tool) => tools.push(redactData(tool, clean)))
        return { ...answer, tools }
      }
      listed = listedConnection(clock, name, { ...connection, list }, limit, learn)
      await listed.listed()
      end.throwIfAborted()
      return listed
    } catch (error) {
      await connection.close()
      throw error
    } finally {
      end.removeEventListener('abort', onAbort)
    }
  }

  async function learn(offered: readonly SealedDefinition[], faults: readonly string[]): Promise<void> {
    leftOut = faults.map((fault) => `${name} ${fault}`)
    await acceptance.compare(offered)
    onAnswer()
  }

  function isOut(): string | undefined {
    if (!connects) return 'it is not contacted from here'
    if (!address) return addressWarnings.at(-1) ?? 'it has no address'
    return isTrusted ? undefined : 'what was accepted of it could not be read'
  }

  function status(): McpServerStatus {
    const out = isOut()
    const why = out ?? link.trouble()
    const running = link.state()
    const state =
      out !== undefined ? 'unusable' : running === 'open' ? 'running' : why === undefined ? 'starting' : 'failed'
    return {
      state,
      ...(state === 'unusable' || state === 'failed'
        ? { why: clean(why ?? ''), hint: hintFor(state === 'unusable', why ?? '') }
        : {}),
      warnings: [...addressWarnings, ...leftOut].map(clean),
      stderr: lastLines().map(clean),
    }
  }

  return {
    name,
    status,
    /** Resolves when the new connection has succeeded or failed. Never rejects. */
    async restart() {
      if (isOut() === undefined) await link.restart().catch(() => {})
    },
    async load() {
      isTrusted = await acceptance.load()
    },
    /** Lists the tools of the server in the background, now and after each lost connection. Never rejects. */
    contact() {
      if (isOut() !== undefined) return
      const isFirst = !wasContacted
      wasContacted = true
      link.connection().then(
        ({ listAgain }) => (isFirst ? undefined : listAgain()),
        () => {},
      )
    },
    /** Whether the tools of the server are known, from now or from an earlier start. */
    seen: () => acceptance.seen() || isOut() !== undefined,
    /** Tools that may be offered now, in the order of their names. */
    offered: acceptance.offered,
    call: serverCall({ name, isOut, connection: link.connection, callFault: acceptance.callFault, clean }),
    withheld: acceptance.withheld,
    accept: acceptance.accept,
    followOwner: acceptance.followOwner,
    warnings(): readonly string[] {
      const trouble = link.trouble()
      const lost = trouble === undefined ? [] : [phrase`${name} cannot be reached: ${trouble}`]
      const isKnown = connects || acceptance.seen()
      const unseen = isKnown ? [] : [phrase`${name} was never reached, so its tools are not known yet`]
      return [...addressWarnings, ...acceptance.warnings(), ...leftOut, ...lost, ...unseen].map(clean)
    },
    /** Leaves nothing running. Never rejects. */
    stop: link.stop,
  }
}

const MOST_LINES = 40

export interface McpServerStatus {
  /** `unusable`: it is not contacted, since its configuration or what was accepted of it has a fault. */
  readonly state: 'running' | 'starting' | 'failed' | 'unusable'
  readonly why?: string
  readonly hint?: string
  /** What of it is left out, or missing in its environment. */
  readonly warnings: readonly string[]
  readonly stderr: readonly string[]
}

/** What a person can do about a server that does not run, by the words of what is wrong. */
function hintFor(isUnusable: boolean, why: string): string {
  if (/environment variable/.test(why)) {
    return phrase`Set the variable in the environment of the gateway, and start the gateway again.`
  }
  if (isUnusable) return phrase`Correct the configuration of the server.`
  if (/there is no program|may not be run/.test(why))
    return phrase`Install the program, or write its full path as the command.`
  if (/there is no folder/.test(why)) return phrase`Create the folder, or name another one as the directory.`
  if (/connectTimeoutMs/.test(why)) return phrase`Raise connectTimeoutMs if the server needs longer to start.`
  return phrase`It is tried again by itself, at most a minute later. Restart tries at once.`
}

interface CallSettings {
  readonly name: string
  readonly isOut: () => string | undefined
  readonly connection: () => Promise<ListedConnection>
  readonly callFault: (tool: string) => string | undefined
  /** Removes secrets. */
  readonly clean: (text: string) => string
}

type ServerCall = (definition: McpDefinition, input: unknown, signal: AbortSignal) => Promise<ToolResult>

/**
 * Connects first if need be. Repeats only a call that the server has not seen. Failures are results with the reason.
 */
function serverCall({ name, isOut, connection, callFault, clean }: CallSettings): ServerCall {
  async function callConnected(definition: McpDefinition, input: unknown, signal: AbortSignal): Promise<ToolResult> {
    const linked = await connection().catch((error: unknown) => {
      throw new NoConnection(error)
    })
    await linked.listed()
    signal.throwIfAborted()
    const fault = callFault(definition.name)
    if (fault !== undefined) return failure(fault)
    try {
      return renderResult(await linked.connection.call(definition, input, signal), clean)
    } catch (error) {
      if (error instanceof ConnectionFault && error.isLost) await linked.close()
      throw error
    }
  }

  function failure(error: string): ToolResult {
    return { ok: false, error: clean(error) }
  }

  function describeFailure(error: unknown): ToolResult {
    const why = errorMessage(error)
    if (error instanceof NoConnection) return failure(`the MCP server ${name} cannot be reached: ${why}`)
    const isLost = error instanceof ConnectionFault && error.isLost && !error.isUnsent
    return failure(
      isLost
        ? `the MCP server ${name} was lost during the call, which may or may not have taken effect: ${why}`
        : `the call failed at the MCP server ${name}: ${why}`,
    )
  }

  return async (definition, input, signal) => {
    const fault = callFault(definition.name)
    if (fault !== undefined) return failure(fault)
    const out = isOut()
    if (out !== undefined) return failure(`the MCP server ${name} cannot be reached: ${out}`)
    try {
      return await callConnected(definition, input, signal)
    } catch (error) {
      const isUnsent = error instanceof ConnectionFault && error.isUnsent && !signal.aborted
      return isUnsent ? await callConnected(definition, input, signal).catch(describeFailure) : describeFailure(error)
    }
  }
}

/** A signal within this file: there was no connection, so the call was not made. */
class NoConnection extends Error {
  constructor(cause: unknown) {
    super(errorMessage(cause), { cause })
  }
}
