import { settlesWithin } from '../../platform.ts'
import { boundedFetch } from './bounded-fetch.ts'
import { listServerTools, type McpDefinition, type ToolList } from './definition.ts'
import { type ProgramTransport, programTransport } from './program-transport.ts'
import type { ServerAddress } from './server-address.ts'
import type { Client, StreamableHTTPClientTransport, Tool } from '@modelcontextprotocol/client'

interface ConnectionOptions {
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
export interface McpConnection {
  list(signal: AbortSignal): Promise<ToolList>
  call(definition: McpDefinition, input: unknown, signal: AbortSignal): Promise<CallResult>
  /** Resolves once it is over, with why. */
  readonly ended: Promise<string>
  /** Leaves nothing running. Never rejects. */
  close(): Promise<void>
}

/** What a server answered to a call. */
export interface CallResult {
  readonly content?: readonly ContentPart[] | undefined
  readonly structuredContent?: unknown
  readonly isError?: boolean | undefined
}

export type ContentPart = Readonly<Record<string, unknown>> & { readonly type: string }

/** The largest message of a server, bytes. */
const LARGEST_MESSAGE = 16 * 1024 * 1024

/** Of the time a server has, so much goes by before it counts as one that does not know the newer question. */
const PROBE_SHARE = 0.3

/** The longest that a timer can count, ms: the time limit of a call is the toolbox's. */
const LONGEST = 2 ** 31 - 1

/** The time that a server over HTTP has to hear that its session is over, ms. */
const TERMINATE_MS = 1_000

/**
 * Connects, over the protocol of 2026-07-28 where the server speaks it and that of 2025-11-25 (or what the server has of
 * earlier ones) elsewhere. Nothing is declared that a server could ask of us: no sampling, no elicitation, no roots.
 */
export async function openMcpConnection(options: ConnectionOptions): Promise<McpConnection> {
  try {
    return await connect(options, false)
  } catch (error) {
    // Some older servers end at a question that they do not know: they are asked again, in the older way.
    if (!(error instanceof ConnectionFault) || !error.endedAtProbe || options.signal.aborted) throw error
    return connect(options, true)
  }
}

async function connect(options: ConnectionOptions, isOld: boolean): Promise<McpConnection> {
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
      await settlesWithin(transport.terminateSession(), TERMINATE_MS)
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
        return await listServerTools(client, listSignal, timeoutMs)
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

/** Why a server could not be reached or did not answer, as a sentence that goes on from its name. */
export class ConnectionFault extends Error {
  override readonly name = 'ConnectionFault'
  /** The server ended when it was asked which protocols it knows. */
  readonly endedAtProbe: boolean
  /** The program cannot be started, now or in a while. */
  readonly isHopeless: boolean
  /** The connection is of no use any more. */
  readonly isLost: boolean
  /** The server has certainly not seen the request. */
  readonly isUnheard: boolean

  /** `ending`: how the connection ended, where it did. */
  constructor(error: unknown, ending: string | undefined) {
    super(ending ?? describeError(error), { cause: error })
    const chain = causes(error)
    const codes = new Set(chain.map(errorCode))
    this.endedAtProbe = codes.has('ERA_NEGOTIATION_FAILED') && ending !== undefined
    this.isHopeless = chain.some(isStartFailure)
    this.isUnheard = isForgottenSession(error) || REFUSALS.some((code) => codes.has(code))
    this.isLost =
      ending !== undefined || this.isUnheard || LOSSES.some((code) => codes.has(code)) || chain.some(isFetchFailure)
  }
}

const LOSSES = ['CONNECTION_CLOSED', 'SEND_FAILED']

const REFUSALS = ['NOT_CONNECTED', 'ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH']

/** The words that say most, on one line. */
function describeError(error: unknown): string {
  const { status, text } = httpAnswer(error)
  if (status === 401 || status === 403) return `it answered ${status}: the headers that it is sent do not let us in`
  if (status === 404) return 'it answered 404: no MCP server is at this address, or it has forgotten the session'
  if (status !== undefined) return oneLine(`it answered ${status}${text === '' ? '' : `: ${text}`}`)
  const chain = causes(error)
  if (errorCode(error) === 'UNSUPPORTED_RESULT_TYPE') return 'it asks back, and servers are given no way to do that'
  if (errorCode(error) === 'INVALID_RESULT') return 'it answered with something that the protocol does not know'
  // What the system says of a connection stands at the bottom.
  const told = chain.some(isFetchFailure) ? chain.at(-1) : error
  return oneLine(told instanceof Error ? told.message || errorCode(told) || told.name : String(told))
}

function oneLine(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim()
  return line.length > 300 ? `${line.slice(0, 300)} …` : line
}

/** A server that was started anew knows no sessions. It should answer 404; some answer 400 and say why. */
function isForgottenSession(error: unknown): boolean {
  const { status, text } = httpAnswer(error)
  return status === 404 || (status === 400 && /session/i.test(text))
}

function isFetchFailure(error: unknown): boolean {
  return error instanceof TypeError && error.message === 'fetch failed'
}

function isStartFailure(error: unknown): boolean {
  const call = (error as { readonly syscall?: unknown }).syscall
  return typeof call === 'string' && call.startsWith('spawn')
}

function causes(error: unknown): readonly unknown[] {
  const chain: unknown[] = []
  for (let next = error; next !== undefined && next !== null && chain.length < 8; next = errorCause(next))
    chain.push(next)
  return chain
}

function errorCause(error: unknown): unknown {
  return error instanceof Error ? error.cause : undefined
}

function errorCode(error: unknown): string | undefined {
  const code = (error as { readonly code?: unknown } | null | undefined)?.code
  return typeof code === 'string' ? code : undefined
}

function httpAnswer(error: unknown): { readonly status: number | undefined; readonly text: string } {
  const data = (error as { readonly data?: { readonly status?: unknown; readonly text?: unknown } } | null)?.data
  const { status, text } = data ?? {}
  return { status: typeof status === 'number' ? status : undefined, text: typeof text === 'string' ? text : '' }
}
