import { type Clock, decodeBody } from '../../platform.ts'
import { lookup } from 'node:dns/promises'
import { type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http'
import { connect as open, isIP, type Socket } from 'node:net'
import { urlHost, isPublicAddress, urlAuthority, urlPort, FetchFault, inTime } from './checked-url.ts'
import { numberText } from '../../context.ts'

export interface RequestOptions {
  /** Time limit to resolve a name, and to connect to one address, ms. Default: 5,000. */
  readonly connectMs?: number | undefined
  readonly clock: Clock
  /** Time limit from the request to the headers of the response, ms. Default: 15,000. */
  readonly firstByteMs?: number | undefined
  /** Default: the real one. Only tests pass another. */
  readonly network?: Network | undefined
  /** `host:port` that may be reached although it is not public. */
  readonly trusted?: readonly string[] | undefined
}

/**
 * Checks that every address of the host is public, and connects to one of those addresses (DESIGN §8). The URL comes
 * from `checkUrl`. A redirect is an answer like any other. Throws a `FetchFault`.
 */
export async function guardedRequest(
  asked: GuardedRequest,
  options: RequestOptions,
  signal: AbortSignal,
): Promise<GuardedResponse> {
  const { connectMs = 5000, firstByteMs = 15_000, network = realNetwork, trusted = [], clock } = options
  const addresses = await resolveHost(clock, asked.url, network, connectMs, signal)
  if (!trusted.includes(urlAuthority(asked.url)) && !addresses.every(isPublicAddress)) {
    const host = urlHost(asked.url)
    throw new FetchFault('refused', `${host} leads to an address that is not public, and only public ones are opened`)
  }
  const socket = await openConnection({ clock, url: asked.url, addresses, network, connectMs, signal })
  const destroy = () => socket.destroy()
  signal.addEventListener('abort', destroy, { once: true })
  socket.once('close', () => signal.removeEventListener('abort', destroy))
  return sendRequest(clock, asked, socket, firstByteMs, signal)
}

async function resolveHost(
  clock: Clock,
  url: URL,
  network: Network,
  connectMs: number,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const host = urlHost(url)
  if (isIP(host) !== 0) return [host]
  try {
    const what = `the name ${host} was not resolved`
    const addresses = await inTime(network.addresses(host), connectMs, { clock, signal, what })
    if (addresses.length > 0) return addresses
  } catch (error) {
    if (error instanceof FetchFault) throw error
  }
  throw new FetchFault('unknown-host', `there is no host named ${host}, or its name cannot be resolved now`)
}

interface Connecting {
  readonly clock: Clock
  readonly url: URL
  /** Checked. Tried one after another until a connection is open. */
  readonly addresses: readonly string[]
  readonly network: Network
  /** Time limit for each address, ms. */
  readonly connectMs: number
  readonly signal: AbortSignal
}

const MOST_TRIED = 4

/** Connects to one of these addresses alone; no name is resolved again. TLS verifies the host of the URL. */
async function openConnection({ clock, url, addresses, network, connectMs, signal }: Connecting): Promise<Socket> {
  let fault: unknown
  for (const address of bothFamiliesFirst(addresses).slice(0, MOST_TRIED)) {
    try {
      return await connectTo(address, { clock, url, network, connectMs, signal })
    } catch (error) {
      signal.throwIfAborted()
      fault = error
    }
  }
  throw connectFault(fault)
}

/** A machine may have only one of the two families: the first of each is tried before the others. */
function bothFamiliesFirst(addresses: readonly string[]): readonly string[] {
  const firsts = [...new Set(addresses.map(isIP))].map((family) => addresses.find((each) => isIP(each) === family)!)
  return [...new Set([...firsts, ...addresses])]
}

async function connectTo(
  address: string,
  { clock, url, network, connectMs, signal }: Omit<Connecting, 'addresses'>,
): Promise<Socket> {
  const place = network.route?.(address, urlPort(url)) ?? { host: address, port: urlPort(url) }
  const isSecure = url.protocol === 'https:'
  const socket = isSecure ? await openSecurely(place, urlHost(url), network) : open(place)
  const opened = new Promise<void>((resolve, reject) => {
    socket.once(isSecure ? 'secureConnect' : 'connect', () => resolve())
    socket.once('error', reject)
  })
  try {
    await inTime(opened, connectMs, { clock, signal, what: 'no connection was made' })
    return socket
  } catch (error) {
    socket.once('error', () => {})
    socket.destroy()
    throw error
  }
}

async function openSecurely(place: { host: string; port: number }, host: string, network: Network): Promise<Socket> {
  const tls = await import('node:tls')
  return tls.connect({
    ...place,
    // An address is no name to ask for; its certificate is compared with the address.
    servername: isIP(host) === 0 ? host : '',
    rejectUnauthorized: true,
    ALPNProtocols: ['http/1.1'],
    ...(network.authorities && { ca: [...network.authorities] }),
  })
}

/** Errors of the system name the address, so only their codes are passed on. */
function connectFault(error: unknown): FetchFault {
  if (error instanceof FetchFault) return error
  const { code } = error as NodeJS.ErrnoException
  const isCertificate = code !== undefined && /CERT|SIGNATURE|ISSUER|ALTNAME/.test(code)
  const what = isCertificate ? 'its certificate is not valid' : 'no connection could be made'
  return new FetchFault('unreachable', code === undefined ? what : `${what} (${code})`, { cause: error })
}

export interface GuardedRequest {
  readonly url: URL
  readonly method: 'GET' | 'POST'
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
}

export interface GuardedResponse {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: IncomingMessage
  /** Ends the connection, read or not. */
  close(): void
}

const LARGEST_HEADERS = 16 * 1024

/** Sends one request over its own connection. `firstByteMs`: time limit for the head of the answer, ms. */
async function sendRequest(
  clock: Clock,
  asked: GuardedRequest,
  socket: Socket,
  firstByteMs: number,
  signal: AbortSignal,
): Promise<GuardedResponse> {
  try {
    const body = await inTime(send(asked, socket), firstByteMs, { clock, signal, what: 'no answer began' })
    // The reader of the body reports a break in the middle.
    body.on('error', () => {})
    return { status: body.statusCode ?? 0, headers: body.headers, body, close: () => socket.destroy() }
  } catch (error) {
    socket.destroy()
    throw exchangeFault(error)
  }
}

function send({ url, method, headers, body }: GuardedRequest, socket: Socket): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const sent = request({
      method,
      path: `${url.pathname}${url.search}`,
      headers: {
        host: url.host,
        ...headers,
        connection: 'close',
        ...(body !== undefined && { 'content-length': String(Buffer.byteLength(body)) }),
      },
      setHost: false,
      maxHeaderSize: LARGEST_HEADERS,
      insecureHTTPParser: false,
      createConnection: () => socket,
    })
    sent.once('response', resolve)
    sent.on('error', reject)
    sent.once('upgrade', () => reject(new FetchFault('broken', 'it wants to speak another protocol')))
    sent.once('close', () => reject(new FetchFault('broken', 'the connection was closed without an answer')))
    sent.end(body)
  })
}

function exchangeFault(error: unknown): FetchFault {
  if (error instanceof FetchFault) return error
  const { code } = error as NodeJS.ErrnoException
  if (code === 'HPE_HEADER_OVERFLOW') {
    return new FetchFault('too-large', `its headers are longer than ${numberText(LARGEST_HEADERS)} bytes`)
  }
  const what = code?.startsWith('HPE_') === true ? 'its answer is not HTTP' : 'the connection broke off'
  return new FetchFault('broken', code === undefined ? what : `${what} (${code})`, { cause: error })
}

/** Resolves names and routes connections. Tests replace the real one. */
export interface Network {
  /** Every address of a name. None, or a rejection, where there is no such name. */
  addresses(name: string): Promise<readonly string[]>
  /** The target of a connection to a checked address. Only tests redirect it, because their servers are on loopback. */
  readonly route?: (address: string, port: number) => { readonly host: string; readonly port: number }
  /** Certificates in PEM of authorities that are trusted instead of the usual ones. */
  readonly authorities?: readonly string[]
}

/** Names as this machine resolves them, its hosts file included. */
const realNetwork: Network = {
  addresses: async (name) => (await lookup(name, { all: true, order: 'verbatim' })).map(({ address }) => address),
}

export const readableCodings = 'gzip, deflate, br'

/** At most `maxBytes`, packed and unpacked: a larger body is not unpacked to its end. Throws a `FetchFault`. */
export async function readBody({ headers, body }: GuardedResponse, maxBytes: number): Promise<Buffer> {
  if (Number(headers['content-length'] ?? 0) > maxBytes) throw tooLarge(maxBytes)
  const decoded = await decodeBody(await receiveBody(body, maxBytes), headers['content-encoding'], {
    most: maxBytes,
  })
  if ('body' in decoded) return Buffer.from(decoded.body.buffer, decoded.body.byteOffset, decoded.body.byteLength)
  if (decoded.fault === 'too-large') throw tooLarge(maxBytes)
  if (decoded.fault === 'damaged') throw new FetchFault('broken', 'its compressed content is damaged or breaks off')
  throw new FetchFault('unsupported', 'its content is compressed in a way that is not read here')
}

async function receiveBody(body: AsyncIterable<Buffer>, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  let length = 0
  try {
    for await (const chunk of body) {
      length += chunk.length
      if (length > maxBytes) throw tooLarge(maxBytes)
      chunks.push(chunk)
    }
  } catch (error) {
    if (error instanceof FetchFault) throw error
    throw new FetchFault('broken', 'its answer breaks off', { cause: error })
  }
  return Buffer.concat(chunks, length)
}

function tooLarge(maxBytes: number): FetchFault {
  return new FetchFault('too-large', `it is larger than ${numberText(maxBytes)} bytes`)
}
