import { isIP } from 'node:net'
import { hostOf, placeOf } from './checked-url.ts'
import { connect } from './connect.ts'
import { deadline } from './deadline.ts'
import { type Answer, type Asked, exchange } from './exchange.ts'
import { FetchFault } from './fetch-fault.ts'
import { type Network, realNetwork } from './network.ts'
import { isPublicAddress } from './public-address.ts'

/** How long the parts of one request may take, and how it gets there. */
export interface RequestOptions {
  /** To resolve a name, and to connect to one address, ms. 5,000 unless given. */
  readonly connectMs?: number | undefined
  /** From the request to the head of its answer, ms. 15,000 unless given. */
  readonly firstByteMs?: number | undefined
  /** The real one unless given: tests alone give another. */
  readonly network?: Network | undefined
  /** `host:port` that may be reached although it is not public. */
  readonly trusted?: readonly string[] | undefined
}

/**
 * One request, after every address of its host was found public; the connection goes to one of those addresses (DESIGN §8).
 * The URL comes from `checkedUrl`. A redirect is an answer like any other. Rejects with `FetchFault`.
 */
export async function guardedRequest(asked: Asked, options: RequestOptions, signal: AbortSignal): Promise<Answer> {
  const { connectMs = 5000, firstByteMs = 15_000, network = realNetwork, trusted = [] } = options
  const addresses = await addressesOf(asked.url, network, connectMs, signal)
  if (!trusted.includes(placeOf(asked.url)) && !addresses.every(isPublicAddress)) {
    const host = hostOf(asked.url)
    throw new FetchFault('refused', `${host} leads to an address that is not public, and only public ones are opened`)
  }
  const socket = await connect({ url: asked.url, addresses, network, connectMs, signal })
  const destroy = () => socket.destroy()
  signal.addEventListener('abort', destroy, { once: true })
  socket.once('close', () => signal.removeEventListener('abort', destroy))
  return exchange(asked, socket, firstByteMs, signal)
}

async function addressesOf(
  url: URL,
  network: Network,
  connectMs: number,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const host = hostOf(url)
  if (isIP(host) !== 0) return [host]
  const limit = deadline(signal, connectMs, `the name ${host} was not resolved`)
  try {
    const addresses = await limit.within(network.addresses(host))
    if (addresses.length > 0) return addresses
  } catch (error) {
    if (error instanceof FetchFault) throw error
  } finally {
    limit.done()
  }
  throw new FetchFault('unknown-host', `there is no host named ${host}, or its name cannot be resolved now`)
}
