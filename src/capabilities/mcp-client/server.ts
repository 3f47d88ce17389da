import { type Clock, errorMessage, inSlices, knownSecrets, redactData, singleFlight } from '../../platform.ts'
import type { ToolResult } from '../../tool.ts'
import { type AcceptedStore, createAcceptance } from './acceptance.ts'
import { renderResult } from './call-result.ts'
import { ConnectionFault, type McpConnection, openMcpConnection } from './connection.ts'
import { type McpDefinition, readOffered, type SealedDefinition } from './definition.ts'
import type { Confine } from './program-transport.ts'
import { type McpServerConfiguration, readAddress } from './server-address.ts'
import { hintFor, lostServer, unseenServer } from './server-trouble.ts'

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
      const lost = trouble === undefined ? [] : [lostServer(name, trouble)]
      const unseen = connects || acceptance.seen() ? [] : [unseenServer(name)]
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

/** Time between the end of a connection and the next attempt, ms; doubled with each failure. */
const FIRST_DELAY = 1_000
const LAST_DELAY = 60_000

/** A connection that lasted this long was stable: after it the first delay applies again, ms. */
const GOOD = 60_000

/** One connection, opened again whenever it is lost. When aborted, `open` rejects and leaves nothing behind. */
function createLink(open: (signal: AbortSignal) => Promise<ListedConnection>, clock: Clock) {
  const end = new AbortController()
  let current: Promise<ListedConnection> | undefined
  let delay = FIRST_DELAY
  let trouble: string | undefined
  let callOff: (() => void) | undefined
  let isOpen = false
  /** What becomes of an attempt counts only while it is the last one. */
  let attempts = 0

  /** The current connection; without one, opens one at once. Rejects with the reason if that fails. */
  function connection(): Promise<ListedConnection> {
    if (end.signal.aborted) return Promise.reject(new Error('it was closed'))
    callOff?.()
    return (current ??= attempt())
  }

  async function attempt(): Promise<ListedConnection> {
    const own = ++attempts
    try {
      const opened = await open(end.signal)
      trouble = undefined
      isOpen = own === attempts
      const callOffGood = clock.timer(GOOD, () => (delay = FIRST_DELAY))
      void opened.ended.then((why) => {
        callOffGood()
        if (own === attempts) scheduleNext(why)
        return opened.close()
      })
      return opened
    } catch (error) {
      if (own === attempts) scheduleNext(errorMessage(error))
      throw error
    }
  }

  /** The connection is gone; the next request for one, or the timer, opens another. */
  function scheduleNext(why: string): void {
    current = undefined
    isOpen = false
    trouble = why
    if (end.signal.aborted) return
    callOff = clock.timer(delay, () => void connection().catch(() => {}))
    delay = Math.min(delay * 2, LAST_DELAY)
  }

  return {
    connection,
    /** Why there is no connection, if that is known. */
    trouble: () => trouble,
    state: (): 'idle' | 'connecting' | 'open' => (isOpen ? 'open' : current ? 'connecting' : 'idle'),
    /** Ends the connection or the attempt at one, and opens another at once. Rejects with the reason if that fails. */
    async restart(): Promise<ListedConnection> {
      attempts++
      const before = current
      current = undefined
      isOpen = false
      delay = FIRST_DELAY
      const opened = await before?.catch(() => undefined)
      await opened?.close()
      return connection()
    },
    async stop() {
      end.abort(new Error('it was closed'))
      callOff?.()
      const opened = await current?.catch(() => undefined)
      await opened?.close()
    },
  }
}

type ListedConnection = ReturnType<typeof listedConnection>

/** How often in a row a server may announce changes while its tools are listed. */
const MOST_ROUNDS = 10

/** Between two listings that a server asks for by announcing changes, ms. */
const BETWEEN_LISTINGS = 1_000

/** `learn` receives everything that `server` offers, and sentences about what is left out. */
export function listedConnection(
  clock: Clock,
  server: string,
  connection: McpConnection,
  limitMs: number,
  learn: (offered: readonly SealedDefinition[], faults: readonly string[]) => Promise<void>,
) {
  const listing = singleFlight<'tools', void>()
  let isStale = true
  /** Whether a change was announced, and from when on its tools may be listed again. */
  let isAnnounced = false
  let next = -Infinity

  async function list(): Promise<void> {
    for (let round = 0; isStale; round++) {
      if (round === MOST_ROUNDS) throw new Error('it says again and again that its tools have changed')
      if (isAnnounced) {
        const rest = next - clock.monotonic()
        if (rest > 0) await clock.sleep(rest)
        next = clock.monotonic() + BETWEEN_LISTINGS
      }
      isStale = false
      const answer = await connection.list(clock.timeoutSignal(limitMs))
      const { offered, faults } = await readOffered(clock, answer, server)
      await learn(offered, faults)
    }
  }

  /** Joins a listing that is running; otherwise starts one if something may have changed. */
  async function listed(): Promise<void> {
    await (isStale ? listing.run('tools', list) : listing.get('tools'))
  }

  return {
    connection,
    ended: connection.ended,
    close: connection.close,
    /** Resolves once the tools of the server are known, with every change it has announced. */
    listed,
    /** Lists the tools again. Closes the connection to a server that does not answer. */
    listAgain() {
      isStale = true
      isAnnounced = true
      listed().catch(() => connection.close())
    },
  }
}
