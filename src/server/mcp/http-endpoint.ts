import { randomUUID } from 'node:crypto'
import { type Transformer, TransformStream } from 'node:stream/web'
import {
  type AuthInfo,
  createMcpHandler,
  isJsonContentType,
  isLegacyRequest,
  type McpServer,
  readRequestBody,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server'
import { type Caller, type McpCatalogue, ownerCaller } from '../../capability.ts'
import { type Clock, defined } from '../../platform.ts'
import { securityHeaders } from '../answer.ts'
import { type Era, protocolServer, requestStateCodec } from './protocol-server.ts'

interface EndpointOptions {
  readonly clock: Clock
  readonly version: string
  readonly maxBodyBytes: number
  readonly unexpected: (error: unknown) => void
}

/** MCP over streamable HTTP, revisions 2025-11-25 and 2026-07-28. The server has already checked access. */
export type HttpEndpoint = ReturnType<typeof httpEndpoint>

export function httpEndpoint(catalogue: McpCatalogue, options: EndpointOptions) {
  const { clock, version, maxBodyBytes, unexpected } = options
  const seals = requestStateCodec()
  const make = (era: Era) => protocolServer(catalogue, era, { version, seals, asksPersons: true, unexpected })
  const legacy = legacySessions(clock, () => make('legacy'))
  const modern = createMcpHandler(() => make('modern'), { legacy: 'reject', maxRequestBodySize: maxBodyBytes })

  async function answer(request: Request, authInfo: AuthInfo): Promise<Response> {
    if (request.method !== 'POST') {
      return (await isLegacyRequest(request))
        ? legacy.fetch(request, undefined, authInfo)
        : modern.fetch(request, { authInfo })
    }
    const read = await readJson(request, maxBodyBytes)
    if (read instanceof Response) return read
    const isLegacy = await isLegacyRequest(request, read.body)
    return isLegacy
      ? legacy.fetch(request, read.body, authInfo)
      : modern.fetch(request, { parsedBody: read.body, authInfo })
  }

  return {
    async fetch(request: Request, { by, scope }: Caller = ownerCaller) {
      const response = await answer(request, { token: '', clientId: by, scopes: [scope] })
      for (const [name, value] of Object.entries(securityHeaders)) response.headers.set(name, value)
      return response
    },
    async close() {
      await Promise.all([legacy.closeAll(), modern.close()])
    },
  }
}

async function readJson(request: Request, maxBytes: number): Promise<{ readonly body: unknown } | Response> {
  if (!isJsonContentType(request.headers.get('content-type'))) {
    return refusalResponse(415, -32_000, 'The body must be declared as JSON: send "Content-Type: application/json".')
  }
  const read = await readRequestBody(request, maxBytes)
  if (read.tooLarge) {
    return refusalResponse(
      413,
      -32_000,
      `The body is larger than ${maxBytes} bytes. gateway.maxBodyBytes sets the limit.`,
    )
  }
  try {
    return { body: JSON.parse(read.text) as unknown }
  } catch {
    return refusalResponse(400, -32_700, 'The body is not JSON.')
  }
}

/** How many connections may be open, and how long one may be idle. */
interface SessionLimits {
  readonly most: number
  /** ms without a request and without an open stream. */
  readonly idleMs: number
}

const usualLimits: SessionLimits = { most: 100, idleMs: 30 * 60_000 }

interface Connection {
  readonly id: string
  /** Whose it is: to anyone else there is no such connection. */
  readonly clientId: string | undefined
  readonly transport: WebStandardStreamableHTTPServerTransport
  readonly server: McpServer
  open: number
  /** ms of the process's own clock. */
  used: number
}

/** Connections of clients of revision 2025-11-25 or earlier, where each client has a server of its own. */
export function legacySessions(clock: Clock, make: () => McpServer, limits: SessionLimits = usualLimits) {
  const connections = new Map<string, Connection>()
  let stopSweeping: (() => void) | undefined

  async function close(connection: Connection): Promise<void> {
    connections.delete(connection.id)
    await connection.server.close().catch(() => {})
  }

  function sweep(): void {
    const now = clock.monotonic()
    for (const connection of connections.values()) {
      if (connection.open === 0 && now - connection.used >= limits.idleMs) void close(connection)
    }
    stopSweeping = connections.size === 0 ? undefined : clock.timer(limits.idleMs / 4, sweep, { idle: true })
  }

  /** Returns false where every connection has an open answer. */
  function makeRoom(): boolean {
    if (connections.size < limits.most) return true
    const resting = [...connections.values()].filter(({ open }) => open === 0)
    const longest = resting.toSorted((one, other) => one.used - other.used)[0]
    if (longest === undefined) return false
    void close(longest)
    return true
  }

  async function begin(request: Request, body: unknown, authInfo: AuthInfo | undefined): Promise<Response> {
    if (!makeRoom()) {
      const message = 'Too many clients are connected. Try again in a moment.'
      return refusalResponse(503, -32_000, message, { 'retry-after': '10' })
    }
    const server = make()
    let connection: Connection | undefined
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized(id) {
        connection = { id, clientId: authInfo?.clientId, transport, server, open: 0, used: clock.monotonic() }
        connections.set(id, connection)
        stopSweeping ??= clock.timer(limits.idleMs / 4, sweep, { idle: true })
      },
      onsessionclosed: (id) => void connections.delete(id),
    })
    await server.connect(transport)
    const response = await transport.handleRequest(request, { parsedBody: body, ...defined({ authInfo }) })
    if (connection === undefined) await server.close()
    return connection === undefined ? response : countWhileOpen(clock, response, connection)
  }

  return {
    /** `body`: parsed, of a POST. */
    async fetch(request: Request, body: unknown, authInfo?: AuthInfo) {
      const id = request.headers.get('mcp-session-id')
      if (id === null) return begin(request, body, authInfo)
      const connection = connections.get(id)
      if (connection === undefined || connection.clientId !== authInfo?.clientId) {
        const message = 'There is no such session. Begin a new one with initialize, without Mcp-Session-Id.'
        return refusalResponse(404, -32_001, message)
      }
      connection.used = clock.monotonic()
      const options = { ...(body === undefined ? {} : { parsedBody: body }), ...defined({ authInfo }) }
      return countWhileOpen(clock, await connection.transport.handleRequest(request, options), connection)
    },
    async closeAll() {
      stopSweeping?.()
      stopSweeping = undefined
      await Promise.all([...connections.values()].map(close))
    },
  }
}

/** Counts an answer as open until its last byte is read or its reader is gone. */
function countWhileOpen(clock: Clock, response: Response, connection: Connection): Response {
  if (response.body === null) return response
  connection.open += 1
  const over = () => {
    connection.open -= 1
    connection.used = clock.monotonic()
  }
  const passing: Transformer<Uint8Array, Uint8Array> = { flush: over, cancel: over }
  return new Response(response.body.pipeThrough(new TransformStream(passing)), response)
}

/** A refusal in the format of the protocol, before any server has seen the request. */
function refusalResponse(
  status: number,
  code: number,
  message: string,
  headers: Record<string, string> = {},
): Response {
  return Response.json({ jsonrpc: '2.0', id: null, error: { code, message } }, { status, headers })
}
