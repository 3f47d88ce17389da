import { type Agent, type IncomingMessage, request as httpRequest } from 'node:http'
import { request as httpsRequest } from 'node:https'
import type { Clock } from '../../platform.ts'
import type { Target } from './address.ts'

export interface ForwardedRequest {
  readonly target: Target
  readonly method: string
  /** Without `Host`, and without what belongs to one connection alone. */
  readonly headers: HeaderPairs
  /** Whether the body came without its length. */
  readonly chunked: boolean
  readonly body: Uint8Array
  readonly agent: Agent
  readonly clock: Pick<Clock, 'soon'>
  readonly signal: AbortSignal
  /** The body is read until then. */
  sends(until: Promise<void>): void
}

/** Without an agent it has a connection of its own. */
type SentRequest = Omit<ForwardedRequest, 'agent'> & { readonly agent: Agent | undefined }

/**
 * Resolves once the answer begins; rejects where none comes. A connection that was closed while it was idle is replaced once,
 * before anything is written to it: nothing is ever sent twice, since nobody knows what a provider did with the first.
 */
export async function forward(sent: ForwardedRequest): Promise<IncomingMessage> {
  const first = openRequest(sent)
  try {
    return await first.answer
  } catch (error) {
    if (first.isWritten() || sent.signal.aborted) throw error
    return openRequest({ ...sent, agent: undefined }).answer
  }
}

function openRequest({ target, method, headers, chunked, body, agent, clock, signal, sends }: SentRequest): {
  readonly isWritten: () => boolean
  readonly answer: Promise<IncomingMessage>
} {
  const { server, path } = target
  const send = server.protocol === 'https:' ? httpsRequest : httpRequest
  const request = send({
    agent: agent ?? false,
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
  let isWritten = false
  const write = () => {
    if (request.destroyed) return
    isWritten = true
    sends(
      new Promise((resolve) => {
        request.once('finish', resolve)
        request.once('close', resolve)
      }),
    )
    if (body.byteLength > 0) request.end(body)
    else request.end()
  }
  request.once('socket', () => {
    // What has come on an idle connection meanwhile, such as its end, is handled before it is written to.
    if (request.reusedSocket) clock.soon(() => clock.soon(write))
    else write()
  })
  return { isWritten: () => isWritten || !request.reusedSocket, answer }
}

/** What says how long the body is, where the caller's headers do not. */
function lengthPair({
  method,
  headers,
  chunked,
}: Pick<ForwardedRequest, 'method' | 'headers' | 'chunked'>): HeaderPairs {
  if (chunked) return ['Transfer-Encoding', 'chunked']
  const isGiven = pairsOf(headers).some(([name]) => name.toLowerCase() === 'content-length')
  return isGiven || BODILESS.has(method) ? [] : ['Content-Length', '0']
}

const BODILESS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'DELETE', 'OPTIONS', 'TRACE'])

/** Names and values in turn, as they came: in their order and case, and as often as they came. */
export type HeaderPairs = readonly string[]

export function pairsOf(pairs: HeaderPairs): readonly (readonly [name: string, value: string])[] {
  return Array.from({ length: pairs.length / 2 }, (_, at) => [pairs[2 * at]!, pairs[2 * at + 1]!])
}

/** `keep` reads names in lower case. */
export function filterPairs(pairs: HeaderPairs, keep: (name: string, value: string) => boolean): HeaderPairs {
  return pairsOf(pairs)
    .filter(([name, value]) => keep(name.toLowerCase(), value))
    .flat()
}
