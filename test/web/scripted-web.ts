import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { Network } from '../../src/capabilities/web-access/guarded-request.ts'
import { freePort } from '../kit/free-port.ts'
import { selfSigned } from './certificate.ts'
import { play, type Trick } from './tricks.ts'

/** What a scripted page answers. */
export interface ScriptedPage {
  readonly status?: number
  readonly location?: string
  /** Its media type; `text/plain` unless given. */
  readonly type?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array
  readonly trick?: Trick
}

export interface Script {
  /** Addresses by name. A list of lists: what is answered the first time, the second, and so on; the last one stays. */
  readonly names?: Readonly<Record<string, readonly string[] | readonly (readonly string[])[]>>
  /** Pages by URL, without a query. Others are not found. */
  readonly pages?: Readonly<Record<string, ScriptedPage>>
  /** Addresses at which nobody listens. */
  readonly unreachable?: readonly string[]
  /** Names that the certificate does not vouch for. */
  readonly uncertified?: readonly string[]
}

export interface SeenRequest {
  readonly method: string
  /** As the server was told it: `http://HOST/PATH`. */
  readonly url: string
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

export interface ScriptedWeb {
  readonly network: Network
  /** Names that were resolved, in order. */
  readonly asked: readonly string[]
  /** `ADDRESS:PORT` of each connection that was made or tried, in order. */
  readonly connected: readonly string[]
  readonly requests: readonly SeenRequest[]
  close(): Promise<void>
}

/** A web on loopback: its resolver and its servers answer as the script has it, and everything that reaches them is noted. */
export async function scriptedWeb({
  names = {},
  pages = {},
  unreachable = [],
  uncertified = [],
}: Script): Promise<ScriptedWeb> {
  const asked: string[] = []
  const connected: string[] = []
  const requests: SeenRequest[] = []

  async function answer(scheme: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await bodyOf(request)
    const url = `${scheme}://${request.headers.host ?? ''}${request.url ?? ''}`
    requests.push({ method: request.method ?? '', url, headers: request.headers, body })
    const page = pages[url.split('?')[0]!] ?? { status: 404, body: 'there is no such page' }
    if (page.trick) return play(page.trick, response)
    response.writeHead(page.status ?? 200, {
      'content-type': page.type ?? 'text/plain',
      ...(page.location !== undefined && { location: page.location }),
      ...page.headers,
    })
    response.end(page.body ?? '')
  }

  function listener(scheme: string): RequestListener {
    return (request, response) => void answer(scheme, request, response).catch(() => response.destroy())
  }

  const hosts = [...Object.keys(names), ...Object.keys(pages).map((url) => new URL(url).hostname)]
  const certificate = selfSigned([...new Set(hosts)].filter((host) => !uncertified.includes(host)))
  const plain = createServer(listener('http'))
  const secure = createSecureServer(certificate, listener('https'))
  const ports = await Promise.all([plain, secure].map(listen))
  const closedPort = unreachable.length > 0 ? await freePort() : 0
  return {
    network: {
      async addresses(name) {
        const answers = names[name] ?? []
        const turn = asked.filter((each) => each === name).length
        asked.push(name)
        return (typeof answers[0] === 'string' ? answers : (answers[turn] ?? answers.at(-1) ?? [])) as readonly string[]
      },
      route(address, port) {
        connected.push(address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`)
        if (unreachable.includes(address)) return { host: '127.0.0.1', port: closedPort }
        return { host: '127.0.0.1', port: port === 443 ? ports[1]! : ports[0]! }
      },
      authorities: [certificate.cert],
    },
    asked,
    connected,
    requests,
    async close() {
      await Promise.all([plain, secure].map(stop))
    },
  }
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString('utf8')
}

function listen(server: Server): Promise<number> {
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port))
  })
}

function stop(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve())
    server.closeAllConnections()
  })
}
