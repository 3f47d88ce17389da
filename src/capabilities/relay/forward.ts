import { type Agent, type ClientRequest, type IncomingMessage, request as httpRequest } from 'node:http'
import { request as httpsRequest } from 'node:https'
import type { Target } from './address.ts'
import type { ProviderServer } from '../../model.ts'

export interface ForwardedRequest {
  readonly target: Target
  readonly method: string
  /** Without `Host`, and without what belongs to one connection alone. */
  readonly headers: HeaderPairs
  /** Whether the body came without its length. */
  readonly chunked: boolean
  readonly body: Uint8Array
  readonly agent: Agent
  readonly signal: AbortSignal
}

/** Resolves once the answer begins; rejects where none comes. A connection closed while idle is replaced once. */
export async function forward(sent: ForwardedRequest): Promise<IncomingMessage> {
  const first = openRequest(sent)
  try {
    return await first.answer
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    const wasClosed = first.request.reusedSocket && (code === 'ECONNRESET' || code === 'EPIPE')
    if (!wasClosed || sent.signal.aborted) throw error
    return openRequest(sent).answer
  }
}

function openRequest({ target, method, headers, chunked, body, agent, signal }: ForwardedRequest): {
  readonly request: ClientRequest
  readonly answer: Promise<IncomingMessage>
} {
  const { server, path } = target
  const send = server.protocol === 'https:' ? httpsRequest : httpRequest
  const request = send({
    agent,
    host: server.hostname.replace(/^\[|\]$/g, ''),
    port: server.port || undefined,
    method,
    path,
    // Pairs are written as they are.
    headers: ['Host', server.host, ...headers, ...lengthPair({ method, headers, chunked })],
    signal,
  })
  const answer = new Promise<IncomingMessage>((resolve, reject) => {
    request.once('response', resolve)
    request.once('upgrade', (_, socket) => {
      socket.destroy()
      reject(new Error('the provider answered with another protocol'))
    })
    // Stays: a failure after the answer has begun is reported by the answer.
    request.on('error', reject)
  })
  if (body.byteLength > 0) request.end(body)
  else request.end()
  return { request, answer }
}

/** What says how long the body is, where the caller's headers do not. */
function lengthPair({
  method,
  headers,
  chunked,
}: Pick<ForwardedRequest, 'method' | 'headers' | 'chunked'>): HeaderPairs {
  if (chunked) return ['Transfer-Encoding', 'chunked']
  const isGiven = headers.some((name, at) => at % 2 === 0 && name.toLowerCase() === 'content-length')
  return isGiven || BODILESS.has(method) ? [] : ['Content-Length', '0']
}

const BODILESS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'DELETE', 'OPTIONS', 'TRACE'])

/** Names and values in turn, as they came: in their order and case, and as often as they came. */
export type HeaderPairs = readonly string[]

/** Headers about one connection, which are not passed on (RFC 9110, 7.6.1), and what `expect` asks of the next server alone. */
const HOP_BY_HOP: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'expect',
])

export function filterPairs(pairs: HeaderPairs, keep: (name: string, value: string) => boolean): HeaderPairs {
  const kept: string[] = []
  for (let at = 0; at < pairs.length; at += 2) {
    const [name, value] = [pairs[at]!, pairs[at + 1]!]
    if (keep(name.toLowerCase(), value)) kept.push(name, value)
  }
  return kept
}

/** Without what belongs to one connection alone. */
export function endToEnd(pairs: HeaderPairs): HeaderPairs {
  const named = new Set<string>()
  for (let at = 0; at < pairs.length; at += 2) {
    if (pairs[at]!.toLowerCase() !== 'connection') continue
    for (const name of pairs[at + 1]!.split(',')) named.add(name.trim().toLowerCase())
  }
  // A `Connection` header cannot take away what says how long the body is, or what it is.
  for (const name of ['content-length', 'content-type', 'content-encoding', 'host']) named.delete(name)
  return filterPairs(pairs, (name) => !HOP_BY_HOP.has(name) && !named.has(name))
}

/** Pairs as a record in lower case, several values of one name joined by `, `; without the credentials of the caller. */
export function withoutCredentials(pairs: HeaderPairs): Readonly<Record<string, string>> {
  const record: Record<string, string> = Object.create(null) as Record<string, string>
  for (let at = 0; at < pairs.length; at += 2) {
    const name = pairs[at]!.toLowerCase()
    if (CREDENTIALS.has(name)) continue
    record[name] = record[name] === undefined ? pairs[at + 1]! : `${record[name]}, ${pairs[at + 1]}`
  }
  return record
}

const CREDENTIALS: ReadonlySet<string> = new Set([
  'authorization',
  'x-api-key',
  'api-key',
  'x-goog-api-key',
  'x-foreword-token',
  'cookie',
  'set-cookie',
  'proxy-authorization',
])

/** The header in which a key of this provider is sent, with its value. */
export function keyPair({ keyHeader }: Pick<ProviderServer, 'keyHeader'>, key: string): readonly [string, string] {
  return keyHeader === undefined ? ['authorization', `Bearer ${key}`] : [keyHeader, key]
}
