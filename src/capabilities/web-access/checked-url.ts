import { isIP } from 'node:net'
import { FetchFault } from './fetch-fault.ts'
import { isPublicAddress } from './public-address.ts'

/** What a URL may be, besides public. */
export interface UrlRules {
  readonly ports: readonly number[]
  /** `host:port` that the owner trusts: any port, any address. */
  readonly trusted: readonly string[]
  /** Longest URL, characters. 2,000 unless given. */
  readonly longest?: number
}

/**
 * A URL whose form lets nothing else be reached than the public web, in the one spelling that is used from then on: for the
 * check, the connection, and the name that the server is told. The addresses of a name are checked when it is resolved.
 * Throws `FetchFault`.
 */
export function checkedUrl(text: string, rules: UrlRules): URL {
  const { longest = 2000 } = rules
  if (text.length > longest) throw refused(`it is longer than ${longest.toLocaleString('en-US')} characters`)
  const url = parsedUrl(text)
  if (!url) throw refused('it is not a whole URL; one begins with https:// or http:// and names a host')
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    throw refused(`only https and http are opened, not ${url.protocol.slice(0, -1)}`)
  }
  if (url.username !== '' || url.password !== '') {
    throw refused('it has a name or password before its host; leave them out')
  }
  if (url.hostname === '' || url.hostname.endsWith('.')) throw refused('it names no host')
  if (rules.trusted.includes(placeOf(url))) return url
  const port = portOf(url)
  if (!rules.ports.includes(port)) {
    throw refused(`port ${port} is not opened, only ${rules.ports.join(' and ')}`)
  }
  checkHost(hostOf(url))
  return url
}

/** A URL in one spelling: `example.org.` is `example.org` to a resolver, so it has to be to us. `null`: it is none. */
export function parsedUrl(text: string): URL | null {
  const url = URL.parse(text)
  const host = url?.hostname.replace(/\.+$/, '')
  if (url && host !== undefined && host !== url.hostname) url.hostname = host
  return url
}

/** The host without the brackets of IPv6. */
export function hostOf({ hostname }: URL): string {
  return hostname.startsWith('[') ? hostname.slice(1, -1) : hostname
}

export function portOf({ protocol, port }: URL): number {
  if (port !== '') return Number(port)
  return protocol === 'https:' ? 443 : 80
}

/** `host:port` in the spelling of URLs, the port always told. */
export function placeOf(url: URL): string {
  return `${url.hostname}:${portOf(url)}`
}

function checkHost(host: string): void {
  if (isIP(host) !== 0) {
    if (!isPublicAddress(host)) throw refused(`${host} is no public address, and only public ones are opened`)
    return
  }
  const labels = host.split('.')
  if (labels.includes('')) throw refused(`${shown(host)} is no name of a host`)
  if (labels.length === 1 || localNames.some((name) => host === name || host.endsWith(`.${name}`))) {
    throw refused(`${shown(host)} is a name of this machine or its network, and only public ones are opened`)
  }
}

/** Names that no public resolver knows (RFC 6761, 6762, 8375, and what ICANN set aside), so none is asked. */
const localNames = ['localhost', 'localdomain', 'local', 'lan', 'internal', 'intranet', 'home.arpa']

function shown(host: string): string {
  return host.length > 100 ? `${host.slice(0, 100)}…` : host
}

function refused(why: string): FetchFault {
  return new FetchFault('refused', why)
}
