import { isIP, connect as open, type Socket } from 'node:net'
import { hostOf, portOf } from './checked-url.ts'
import { type Deadline, deadline } from './deadline.ts'
import { FetchFault } from './fetch-fault.ts'
import type { Network } from './network.ts'

/** What has to be known to connect. */
export interface Connecting {
  readonly url: URL
  /** Checked. One after another is tried until a connection stands. */
  readonly addresses: readonly string[]
  readonly network: Network
  /** Time limit for each address, ms. */
  readonly connectMs: number
  readonly signal: AbortSignal
}

/** The most addresses of one name that are tried. */
const MOST_TRIED = 4

/**
 * A connection to one of the given addresses and no other: it is opened by the address, so no name is resolved again. TLS
 * is spoken for the host of the URL, whose certificate has to be valid.
 */
export async function connect({ url, addresses, network, connectMs, signal }: Connecting): Promise<Socket> {
  let fault: unknown
  for (const address of bothFamiliesFirst(addresses).slice(0, MOST_TRIED)) {
    const limit = deadline(signal, connectMs, 'no connection was made')
    try {
      return await connectTo(address, url, network, limit)
    } catch (error) {
      signal.throwIfAborted()
      fault = error
    } finally {
      limit.done()
    }
  }
  throw unreachable(fault)
}

/** A machine may have only one of the two families: the first of each is tried before the others. */
function bothFamiliesFirst(addresses: readonly string[]): readonly string[] {
  const firsts = [...new Set(addresses.map(isIP))].map((family) => addresses.find((each) => isIP(each) === family)!)
  return [...new Set([...firsts, ...addresses])]
}

async function connectTo(address: string, url: URL, network: Network, limit: Deadline): Promise<Socket> {
  const place = network.route?.(address, portOf(url)) ?? { host: address, port: portOf(url) }
  const isSecure = url.protocol === 'https:'
  const socket = isSecure ? await openSecurely(place, hostOf(url), network) : open(place)
  const opened = new Promise<void>((resolve, reject) => {
    socket.once(isSecure ? 'secureConnect' : 'connect', () => resolve())
    socket.once('error', reject)
  })
  try {
    await limit.within(opened)
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

/** Errors of the system name the address; only their codes are told. */
function unreachable(error: unknown): FetchFault {
  if (error instanceof FetchFault) return error
  const { code } = error as NodeJS.ErrnoException
  const isCertificate = code !== undefined && /CERT|SIGNATURE|ISSUER|ALTNAME/.test(code)
  const what = isCertificate ? 'its certificate is not valid' : 'no connection could be made'
  return new FetchFault('unreachable', code === undefined ? what : `${what} (${code})`, { cause: error })
}
