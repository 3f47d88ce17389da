import type { Client, StreamableHTTPClientTransport, Tool } from '@modelcontextprotocol/client'
import { setTimeout as wait } from 'node:timers/promises'
import { boundedFetch } from './bounded-fetch.ts'
import { ConnectionFault } from './connection-fault.ts'
import type { McpDefinition } from './definition.ts'
import { listTools, type ToolList } from './list-tools.ts'
import { type ProgramTransport, programTransport } from './program-transport.ts'
import type { CallResult } from './result-text.ts'
import type { ServerAddress } from './server-address.ts'

export interface ConnectionOptions {
  readonly address: ServerAddress
  /** Ours, as the server is told. */
  readonly version: string
  /** For each question until the connection stands, ms. */
  readonly timeoutMs: number
  /** Gives up, and leaves nothing running. */
  readonly signal: AbortSignal
  /** The server says that its tools are not what they were. */
  readonly onListChanged: () => void
}

/** A server that answers. Errors are `ConnectionFault`s, in words that go on from the name of the server. */
export interface Connection {
  list(signal: AbortSignal): Promise<ToolList>
  call(definition: McpDefinition, input: unknown, signal: AbortSignal): Promise<CallResult>
  /** Resolves once it is over, with why. */
  readonly ended: Promise<string>
  /** Leaves nothing running. Never rejects. */
  close(): Promise<void>
}

/** The largest message of a server, bytes. */
const LARGEST_MESSAGE = 16 * 1024 * 1024

/** Of the time a server has, so much goes by before it counts as one that does not know the newer question. */
const PROBE_SHARE = 0.3

/** The longest that a timer can count, ms: the time limit of a call is the toolbox's. */
const LONGEST = 2 ** 31 - 1

/** The time that a server over HTTP has to hear that its session is over, ms. */
const FAREWELL = 1_000

/**
 * Connects, over the protocol of 2026-07-28 where the server speaks it and that of 2025-11-25 (or what the server has of
 * earlier ones) elsewhere. Nothing is declared that a server could ask of us: no sampling, no elicitation, no roots.
 */
export async function openConnection(options: ConnectionOptions): Promise<Connection> {
  try {
    return await opened(options, false)
  } catch (error) {
    // Some older servers end at a question that they do not know: they are asked again, in the older way.
    if (!(error instanceof ConnectionFault) || !error.endedAtProbe || options.signal.aborted) throw error
    return opened(options, true)
  }
}

async function opened(options: ConnectionOptions, isOld: boolean): Promise<Connection> {
  const { address, timeoutMs, signal } = options
  // Loaded late: who configured no server never needs it.
  const library = await import('@modelcontextprotocol/client')
  const ended = Promise.withResolvers<string>()
  let broken: string | undefined
  const client: Client = new library.Client(
    { name: 'foreword', version: options.version },
    {
      capabilities: {},
      versionNegotiation: { mode: 'auto', probe: { timeoutMs: Math.ceil(timeoutMs * PROBE_SHARE) } },
      inputRequired: { autoFulfill: false },
      listChanged: { tools: { autoRefresh: false, debounceMs: 0, onChanged: options.onListChanged } },
    },
  )
  const transport: ProgramTransport | StreamableHTTPClientTransport =
    address.type === 'program'
      ? programTransport(address, library, LARGEST_MESSAGE)
      : new library.StreamableHTTPClientTransport(new URL(address.url), {
          requestInit: { headers: { ...address.headers } },
          fetch: boundedFetch({
            largest: LARGEST_MESSAGE,
            onBroken(why) {
              broken ??= why
              void client.close().catch(() => {})
            },
          }),
        })
  const endingOf = () => ('ending' in transport ? transport.ending() : broken)
  const fault = (error: unknown) => new ConnectionFault(error, endingOf())

  async function close(): Promise<void> {
    if ('terminateSession' in transport) {
      await Promise.race([transport.terminateSession().catch(() => {}), wait(FAREWELL, undefined, { ref: false })])
    }
    await transport.close().catch(() => {})
    ended.resolve(endingOf() ?? 'it was closed')
  }

  const onAbort = () => void transport.close().catch(() => {})
  signal.addEventListener('abort', onAbort, { once: true })
  try {
    signal.throwIfAborted()
    await client.connect(transport, {
      timeout: timeoutMs,
      signal,
      ...(isOld && { prior: { kind: 'legacy' } as const }),
    })
    signal.throwIfAborted()
  } catch (error) {
    const why = signal.aborted ? new ConnectionFault(signal.reason, undefined) : fault(error)
    await close()
    throw why
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
  // oxlint-disable-next-line unicorn/prefer-add-event-listener -- it is no event target
  client.onclose = () => ended.resolve(endingOf() ?? 'it closed the connection')

  return {
    ended: ended.promise,
    close,
    async list(listSignal) {
      try {
        return await listTools(client, listSignal, timeoutMs)
      } catch (error) {
        throw fault(error)
      }
    },
    async call({ name, inputSchema }, input, callSignal) {
      try {
        return await client.callTool(
          { name, arguments: input as Record<string, unknown> },
          // What was accepted is what is used; a result that breaks the server's own schema is still a result.
          { signal: callSignal, timeout: LONGEST, toolDefinition: { name, inputSchema } as Tool },
        )
      } catch (error) {
        throw fault(error)
      }
    },
  }
}
