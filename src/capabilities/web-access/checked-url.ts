import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'
import {
  type Clock,
  defined,
  type ErrorCode,
  ForewordError,
  ownNames,
  ownNetworks,
  withTimeout,
} from '../../platform.ts'
import { numberText } from '../../context.ts'

/** Which URLs are allowed, besides public ones. */
export interface UrlRules {
  readonly ports: readonly number[]
  /** `host:port` that the owner trusts: any port, any address. */
  readonly trusted: readonly string[]
  /** The longest URL, characters. Default: 2,000. */
  readonly longest?: number
}

/**
 * Parses a URL that can reach only the public web, in the one spelling that is used for the check, the connection,
 * and the `Host` header. The addresses of a name are checked when it is resolved. Throws a `FetchFault`.
 */
export function checkUrl(text: string, rules: UrlRules): URL {
  const { longest = 2000 } = rules
  if (text.length > longest) throw refuseUrl(`it is longer than ${numberText(longest)} characters`)
  const url = parseUrl(text)
  if (!url) throw refuseUrl('it is not a whole URL; one begins with https:// or http:// and names a host')
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    throw refuseUrl(`only https and http are opened, not ${url.protocol.slice(0, -1)}`)
  }
  if (url.username !== '' || url.password !== '') {
    throw refuseUrl('it has a name or password before its host; leave them out')
  }
  if (url.hostname === '' || url.hostname.endsWith('.')) throw refuseUrl('it names no host')
  if (rules.trusted.includes(urlAuthority(url))) return url
  const port = urlPort(url)
  if (!rules.ports.includes(port)) throw refuseUrl(`port ${port} is not opened, only ${rules.ports.join(' and ')}`)
  checkHost(urlHost(url))
  return url
}

/** In one spelling: `example.org.` becomes `example.org`, as for a resolver. */
function parseUrl(text: string): URL | null {
  const url = URL.parse(text)
  const host = url?.hostname.replace(/\.+$/, '')
  if (url && host !== undefined && host !== url.hostname) url.hostname = host
  return url
}

/** The host without the brackets of IPv6. */
export function urlHost({ hostname }: URL): string {
  return hostname.startsWith('[') ? hostname.slice(1, -1) : hostname
}

export function urlPort({ protocol, port }: URL): number {
  if (port !== '') return Number(port)
  return protocol === 'https:' ? 443 : 80
}

/** `host:port` in the spelling of URLs, always with the port. */
export function urlAuthority(url: URL): string {
  return `${url.hostname}:${urlPort(url)}`
}

function checkHost(host: string): void {
  if (isIP(host) !== 0) {
    if (!isPublicAddress(host)) throw refuseUrl(`${host} is no public address, and only public ones are opened`)
    return
  }
  const labels = host.split('.')
  if (labels.includes('')) throw refuseUrl(`${shortenHost(host)} is no name of a host`)
  if (labels.length === 1 || ownNames.some((name) => host === name || host.endsWith(`.${name}`))) {
    throw refuseUrl(`${shortenHost(host)} is a name of this machine or its network, and only public ones are opened`)
  }
}

function shortenHost(host: string): string {
  return host.length > 100 ? `${host.slice(0, 100)}…` : host
}

function refuseUrl(why: string): FetchFault {
  return new FetchFault('refused', why)
}

/** A URL in one spelling, without its fragment; of what is no URL, the text as it was given. */
export function pageAddress(url: string): string {
  const parsed = parseUrl(url)
  if (!parsed) return url.trim()
  parsed.hash = ''
  return parsed.href
}

/** Our table and the library's have to agree, and an IPv4 address inside an IPv6 one has to be public, too. */
export function isPublicAddress(address: string): boolean {
  const family = isIP(address)
  if (family === 0 || address.includes('%')) return false
  return family === 4 ? isPublicV4(ipaddr.IPv4.parse(address)) : isPublicV6(ipaddr.IPv6.parse(address))
}

function isPublicV4(address: ipaddr.IPv4): boolean {
  return address.range() === 'unicast' && !closedV4.some(([network, bits]) => address.match(network, bits))
}

function isPublicV6(address: ipaddr.IPv6): boolean {
  const isGlobal = globalUnicast.some(([network, bits]) => address.match(network, bits))
  return (
    isGlobal &&
    address.range() === 'unicast' &&
    !closedV6.some(([network, bits]) => address.match(network, bits)) &&
    !holdsTunnelledV4(address)
  )
}

/** ISATAP (RFC 5214): the last four bytes are an IPv4 address that a router would forward to. */
function holdsTunnelledV4({ parts }: ipaddr.IPv6): boolean {
  return (parts[4] === 0 || parts[4] === 0x0200) && parts[5] === 0x5efe
}

/** The IANA registry of special-purpose IPv4 addresses, and one that only looks public. */
const closedV4 = [
  ...ownNetworks.ipv4,
  '0.0.0.0/8', // this network
  '168.63.129.16/32', // the host of a machine in one cloud, with metadata
  '192.0.0.0/24', // protocol assignments; 192.0.0.192 tells metadata in one cloud
  '192.0.2.0/24', // documentation
  '192.31.196.0/24', // AS112
  '192.52.193.0/24', // automatic multicast tunnelling
  '192.88.99.0/24', // relays of 6to4
  '192.175.48.0/24', // AS112
  '198.18.0.0/15', // benchmarking
  '198.51.100.0/24', // documentation
  '203.0.113.0/24', // documentation
  '224.0.0.0/4', // multicast
  '240.0.0.0/4', // reserved; the last one is broadcast
].map((network) => ipaddr.IPv4.parseCIDR(network))

/** Nothing outside of it is handed out: loopback, mapped, NAT64, unique local, link-local and multicast are not in it. */
const globalUnicast = ['2000::/3'].map((network) => ipaddr.IPv6.parseCIDR(network))

/** The IANA registry of special-purpose IPv6 addresses, as far as they are global unicast. */
const closedV6 = [
  '2001::/23', // protocol assignments: Teredo, benchmarking, ORCHID
  '2001:db8::/32', // documentation
  '2002::/16', // 6to4: holds an IPv4 address
  '2620:4f:8000::/48', // AS112
  '3fff::/20', // documentation
].map((network) => ipaddr.IPv6.parseCIDR(network))

/** Why nothing was fetched, in one word that a program can use, and the code of the error that it is. */
const CODES = {
  /** The guard does not let it through: nothing was sent there. */
  refused: 'invalid-input',
  'unknown-host': 'network',
  unreachable: 'network',
  timeout: 'timeout',
  cancelled: 'cancelled',
  redirects: 'network',
  status: 'network',
  'too-large': 'too-large',
  /** A kind of content, or a coding, that Foreword does not read. */
  unsupported: 'unsupported',
  /** The response is incomplete or not what it claims to be. */
  broken: 'network',
} as const satisfies Readonly<Record<string, ErrorCode>>

export type FetchFaultKind = keyof typeof CODES

/** Nothing was fetched. The message is a sentence for the model: it names no address that a name led to, and no key. */
export class FetchFault extends ForewordError {
  override readonly name = 'FetchFault'
  readonly kind: FetchFaultKind

  /** `status`: of an answer with another status than success. */
  constructor(
    kind: FetchFaultKind,
    message: string,
    { status, cause }: { readonly status?: number; readonly cause?: unknown } = {},
  ) {
    super(CODES[kind], message, defined({ kind, status }), { cause })
    this.kind = kind
  }
}

/** What went wrong, as a fault: of an error of the system only its code, since its words would name addresses. */
export function fetchFault(error: unknown, what: string): FetchFault {
  if (error instanceof FetchFault) return error
  const { code } = error as { readonly code?: unknown }
  return new FetchFault('broken', typeof code === 'string' ? `${what} (${code})` : what, { cause: error })
}

interface TimeLimit {
  readonly clock: Clock
  readonly signal: AbortSignal
  readonly what: string
}

/** `what` begins the sentence about the timeout. Throws what `work` throws, or a `FetchFault`. */
export async function inTime<Value>(
  work: Promise<Value>,
  milliseconds: number,
  { clock, signal, what }: TimeLimit,
): Promise<Value> {
  const error = () => new FetchFault('timeout', `${what} within ${numberText(milliseconds)} ms`)
  try {
    return await withTimeout(clock, work, milliseconds, { signal, error })
  } catch (thrown) {
    throw signal.aborted ? new FetchFault('cancelled', 'it was cancelled') : thrown
  }
}

/** As `inTime`, for work that a signal ends: aborted when the time is up, `signal` is aborted, or the work is done. */
export async function endInTime<Value>(
  work: (signal: AbortSignal) => Promise<Value>,
  milliseconds: number,
  options: TimeLimit,
): Promise<Value> {
  const end = new AbortController()
  try {
    return await inTime(work(AbortSignal.any([options.signal, end.signal])), milliseconds, options)
  } finally {
    end.abort()
  }
}
