import { type Clock, ForewordError, settlesWithin, errorMessage, largestEvent } from '../../platform.ts'
import { type CallResult, readableMessage } from './call-result.ts'
import { listServerTools, type McpDefinition, type ToolList, oneLine } from './definition.ts'
import { type Confine, NO_SANDBOX, type ProgramTransport, programTransport } from './program-transport.ts'
import type { ServerAddress } from './server-address.ts'
import type { Client, StreamableHTTPClientTransport, Tool, Transport } from '@modelcontextprotocol/client'
import { numberText } from '../../context.ts'

interface ConnectionOptions {
  readonly clock: Clock
  readonly address: ServerAddress
  readonly confine?: Confine | undefined
  readonly version: string
  /** Time limit of each request until the connection is open, ms. */
  readonly timeoutMs: number
  /** Ends the attempt, and leaves nothing running. */
  readonly signal: AbortSignal
  readonly onListChanged: () => void
  /** A program was made ready: what it has last written on its error output, at any time. May contain secrets. */
  readonly onProgram?: (lastLines: () => readonly string[]) => void
}

export interface McpConnection {
  list(signal: AbortSignal): Promise<ToolList>
  call(definition: McpDefinition, input: unknown, signal: AbortSignal): Promise<CallResult>
  /** Resolves with the reason once the connection is over. */
  readonly ended: Promise<string>
  /** Leaves nothing running. Never rejects. */
  close(): Promise<void>
}

/** The largest message of a server, bytes. */
const LARGEST_MESSAGE = 16 * 1024 * 1024

/** The share of a server's time after which it counts as one that does not know the newer request. */
const PROBE_SHARE = 0.3

/** The longest time of a timer, ms: the toolbox sets the time limit of a call. */
const LONGEST = 2 ** 31 - 1

/** Time limit for a server over HTTP to end its session, ms. */
const TERMINATE_MS = 1_000

/** Connects with the protocol of 2026-07-28, else with 2025-11-25 or earlier. Declares no client features. */
export async function openMcpConnection(options: ConnectionOptions): Promise<McpConnection> {
  try {
    return await connect(options, false)
  } catch (error) {
    // Some older servers end at a request that they do not know: Foreword asks again, in the older way.
    if (!(error instanceof ConnectionFault) || !error.endedAtProbe || options.signal.aborted) throw error
    return connect(options, true)
  }
}

async function connect(options: ConnectionOptions, isOld: boolean): Promise<McpConnection> {
  const { address, timeoutMs, signal } = options
  // Loaded late: without a configured server it is never needed.
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
      ? programTransport(options.clock, address, library, LARGEST_MESSAGE, options.confine)
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
  readMessages(transport)
  if ('lastLines' in transport) options.onProgram?.(transport.lastLines)
  const endReason = () => ('ending' in transport ? transport.ending() : broken)
  const fault = (error: unknown) => new ConnectionFault(error, endReason())

  async function close(): Promise<void> {
    if ('terminateSession' in transport) await settlesWithin(options.clock, transport.terminateSession(), TERMINATE_MS)
    await transport.close().catch(() => {})
    ended.resolve(endReason() ?? 'it was closed')
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
    const isOlder =
      address.type === 'http' && NO_POST.has(httpAnswer(error).status) && (await isOlderTransport(address, signal))
    throw isOlder ? new ConnectionFault(error, OLDER_TRANSPORT) : why
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
  // oxlint-disable-next-line unicorn/prefer-add-event-listener -- it is no event target
  client.onclose = () => ended.resolve(endReason() ?? 'it closed the connection')

  return {
    ended: ended.promise,
    close,
    async list(listSignal) {
      try {
        const list = await listServerTools(client, listSignal, timeoutMs)
        return { ...list, usesHeaders: address.type === 'http' && client.getProtocolEra() === 'modern' }
      } catch (error) {
        throw fault(error)
      }
    },
    async call({ name, inputSchema }, input, callSignal) {
      try {
        return await client.callTool(
          { name, arguments: input as Record<string, unknown> },
          // The accepted definition counts; a result that breaks the server's own schema is still a result.
          { signal: callSignal, timeout: LONGEST, toolDefinition: { name, inputSchema } as Tool },
        )
      } catch (error) {
        throw fault(error)
      }
    },
  }
}

/** How a server answers that takes no requests at its address: it may have the transport of 2024-11-05. */
const NO_POST: ReadonlySet<number | undefined> = new Set([400, 404, 405])

const OLDER_TRANSPORT =
  'it speaks the older transport HTTP+SSE of 2024-11-05, which is not supported: give it the address of its Streamable HTTP, often `/mcp` in the place of `/sse`, or start it as a program'

/** Whether a stream of this address begins with the event that names where to send requests, which the older transport alone has. */
async function isOlderTransport(
  { url, headers }: Extract<ServerAddress, { readonly type: 'http' }>,
  signal: AbortSignal,
): Promise<boolean> {
  const over = new AbortController()
  try {
    const response = await fetchThere(url, {
      headers: { ...headers, accept: 'text/event-stream' },
      signal: AbortSignal.any([signal, over.signal]),
    })
    let text = ''
    for await (const piece of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      text += piece
      if (text.length > 1_000 || /\n\r?\n|\r\r/.test(text)) break
    }
    return response.ok && /^event: ?endpoint\r?$/m.test(text)
  } catch {
    return false
  } finally {
    over.abort()
  }
}

/** Lets the library read every message in the form of `readableMessage`. */
function readMessages(transport: Pick<Transport, 'onmessage'>): void {
  let receive: Transport['onmessage']
  Object.defineProperty(transport, 'onmessage', {
    configurable: true,
    enumerable: true,
    get: () => receive,
    set(next: Transport['onmessage']) {
      receive = next && ((message, ...rest) => next(readableMessage(message) as typeof message, ...rest))
    },
  })
}

/** Why a server could not be reached or did not answer: the rest of a sentence that begins with its name. */
export class ConnectionFault extends ForewordError {
  override readonly name = 'ConnectionFault'
  /** The server ended when Foreword asked which protocols it supports. */
  readonly endedAtProbe: boolean
  /** The program cannot be started, now or in a while. */
  readonly isHopeless: boolean
  /** The connection cannot be used any more. */
  readonly isLost: boolean
  /** The server has certainly not seen the request. */
  readonly isUnsent: boolean

  constructor(error: unknown, ending: string | undefined) {
    super('network', ending ?? describeError(error), {}, { cause: error })
    const chain = causes(error)
    const codes = new Set(chain.map(errorCode))
    this.endedAtProbe = codes.has('ERA_NEGOTIATION_FAILED') && ending !== undefined
    this.isHopeless = chain.some(isStartFailure)
    this.isUnsent = isForgottenSession(error) || REFUSALS.some((code) => codes.has(code))
    this.isLost =
      ending !== undefined || this.isUnsent || LOSSES.some((code) => codes.has(code)) || chain.some(isFetchFailure)
  }
}

const LOSSES = ['CONNECTION_CLOSED', 'SEND_FAILED']

const REFUSALS = ['NOT_CONNECTED', 'ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH']

/** The most useful part of the error, on one line. */
function describeError(error: unknown): string {
  const { status, text } = httpAnswer(error)
  if (status === 401 || status === 403) return `it answered ${status}: the headers that it is sent do not let us in`
  if (status === 404) return 'it answered 404: no MCP server is at this address, or it has forgotten the session'
  if (status !== undefined) return oneLine(`it answered ${status}${text === '' ? '' : `: ${text}`}`)
  const chain = causes(error)
  if (errorCode(error) === 'UNSUPPORTED_RESULT_TYPE') return 'it asks back, and servers are given no way to do that'
  if (errorCode(error) === 'INVALID_RESULT') return 'it answered with something that the protocol does not know'
  const elsewhere = chain.find((each) => each instanceof ElsewhereFault)
  if (elsewhere) return elsewhere.message
  // The last cause is the error of the system.
  const root = chain.some(isFetchFailure) ? chain.at(-1) : error
  return oneLine(root instanceof Error ? root.message || errorCode(root) || root.name : String(root))
}

/** A restarted server knows no sessions. It should answer 404; some answer 400 and name the session. */
function isForgottenSession(error: unknown): boolean {
  const { status, text } = httpAnswer(error)
  return status === 404 || (status === 400 && /session/i.test(text))
}

function isFetchFailure(error: unknown): boolean {
  return error instanceof TypeError && error.message === 'fetch failed'
}

function isStartFailure(error: unknown): boolean {
  const call = (error as { readonly syscall?: unknown }).syscall
  return (typeof call === 'string' && call.startsWith('spawn')) || errorCode(error) === NO_SANDBOX
}

function causes(error: unknown): readonly unknown[] {
  const chain: unknown[] = []
  for (
    let next = error;
    next !== undefined && next !== null && chain.length < 8;
    next = next instanceof Error ? next.cause : undefined
  )
    chain.push(next)
  return chain
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

/** Limits of a fetch. `onBroken` receives the reason when a body is incomplete or grows too large, once for each body. */
interface FetchBounds {
  /** The largest answer, or event of a stream, bytes. */
  readonly largest: number
  readonly onBroken: (why: string) => void
}

/** `fetch` that stays at the host of its address: what is sent there, such as headers with a key, goes nowhere else. */
async function fetchThere(url: string | URL, init?: RequestInit): Promise<Response> {
  let at = new URL(url)
  for (let hops = 0; hops < MOST_HOPS; hops++) {
    const response = await fetch(at, { ...init, redirect: 'manual' })
    const target = response.status >= 300 && response.status < 400 ? response.headers.get('location') : null
    if (target === null) return response
    await response.body?.cancel()
    const next = URL.parse(target, at)
    if (next?.origin !== at.origin) {
      throw new ElsewhereFault(
        `it leads on to ${next?.origin ?? 'no URL'}, where its headers are not sent. Give it that address if it is right`,
      )
    }
    at = next
  }
  throw new ElsewhereFault(`it leads on more than ${MOST_HOPS} times`)
}

const MOST_HOPS = 5

/** A signal within this file: the server sends us to another address. */
class ElsewhereFault extends Error {}

type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>

/** `fetch` up to a limit. An incomplete response to a POST ends the connection: the library would wait forever. */
function boundedFetch({ largest, onBroken }: FetchBounds): Fetch {
  return async (url, init) => {
    const response = await fetchThere(url, init)
    if (!response.body) return response
    const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true
    const isAnswer = init?.method === 'POST'
    const body = boundedBody(response.body, isStream ? largestEvent() : totalSize(), largest, (why) => {
      if (isAnswer && !init?.signal?.aborted) onBroken(why)
    })
    return new Response(body, response)
  }
}

type Bytes = Uint8Array<ArrayBuffer>

/** Receives each chunk, and answers with the size so far, bytes. */
type Size = (chunk: Bytes) => number

function boundedBody(
  body: ReadableStream<Bytes>,
  size: Size,
  largest: number,
  onBroken: (why: string) => void,
): ReadableStream<Bytes> {
  const reader = body.getReader()
  return new ReadableStream<Bytes>({
    async pull(controller) {
      try {
        const { done, value } = await reader.read()
        if (done) return controller.close()
        if (size(value) > largest) throw new Error(`it sent a message of more than ${numberText(largest)} bytes`)
        controller.enqueue(value)
      } catch (error) {
        onBroken(errorMessage(error))
        controller.error(error)
        await reader.cancel().catch(() => {})
      }
    },
    cancel: (reason) => reader.cancel(reason),
  })
}

function totalSize(): Size {
  let total = 0
  return (chunk) => (total += chunk.length)
}
