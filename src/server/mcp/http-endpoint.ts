import { randomBytes } from 'node:crypto'
import {
  createMcpHandler,
  createRequestStateCodec,
  isJsonContentType,
  isLegacyRequest,
  readRequestBody,
} from '@modelcontextprotocol/server'
import { securityHeaders } from '../answer.ts'
import type { McpCatalogue } from '../../capability.ts'
import { legacySessions, refused, type SessionLimits } from './legacy-sessions.ts'
import { type Era, protocolServer } from './protocol-server.ts'

export interface EndpointOptions {
  readonly version: string
  /** The largest body. */
  readonly maxBodyBytes: number
  /** Called with failures that nobody expected. */
  readonly unexpected: (error: unknown) => void
  readonly sessions?: SessionLimits
}

/** MCP over streamable HTTP, 2025-11-25 and 2026-07-28. Who may enter has been decided before. */
export interface HttpEndpoint {
  fetch(request: Request): Promise<Response>
  close(): Promise<void>
}

export function httpEndpoint(catalogue: McpCatalogue, options: EndpointOptions): HttpEndpoint {
  const { version, maxBodyBytes, unexpected, sessions } = options
  const seals = createRequestStateCodec({ key: randomBytes(32), bind: ({ mcpReq: { method } }) => method })
  const make = (era: Era) => protocolServer(catalogue, era, { version, seals, asksPersons: true, unexpected })
  const legacy = legacySessions(() => make('legacy'), sessions)
  const modern = createMcpHandler(() => make('modern'), { legacy: 'reject', maxRequestBodySize: maxBodyBytes })

  async function answer(request: Request): Promise<Response> {
    if (request.method !== 'POST') {
      return (await isLegacyRequest(request)) ? legacy.fetch(request, undefined) : modern.fetch(request)
    }
    const read = await jsonOf(request, maxBodyBytes)
    if (read instanceof Response) return read
    const isLegacy = await isLegacyRequest(request, read.body)
    return isLegacy ? legacy.fetch(request, read.body) : modern.fetch(request, { parsedBody: read.body })
  }

  return {
    async fetch(request) {
      const response = await answer(request)
      for (const [name, value] of Object.entries(securityHeaders)) response.headers.set(name, value)
      return response
    },
    async close() {
      await Promise.all([legacy.closeAll(), modern.close()])
    },
  }
}

async function jsonOf(request: Request, maxBytes: number): Promise<{ readonly body: unknown } | Response> {
  if (!isJsonContentType(request.headers.get('content-type'))) {
    return refused(415, -32_000, 'The body must be declared as JSON: send "Content-Type: application/json".')
  }
  const read = await readRequestBody(request, maxBytes)
  if (read.tooLarge) {
    return refused(413, -32_000, `The body is larger than ${maxBytes} bytes. gateway.maxBodyBytes sets the limit.`)
  }
  try {
    return { body: JSON.parse(read.text) as unknown }
  } catch {
    return refused(400, -32_700, 'The body is not JSON.')
  }
}
