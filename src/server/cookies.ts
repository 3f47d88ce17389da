import { isIPv4 } from 'node:net'

/** How long a cookie lasts, and whether it goes over https alone. */
interface CookieLife {
  readonly seconds: number
  readonly isSecure: boolean
}

/** The cookie of a signed-in browser, as a header. `value` is random: it is not the token. */
export function cookieHeader(host: string, value: string, life: CookieLife): string {
  return headerOf(cookieName(host), value, 'Path=/; HttpOnly; SameSite=Strict', life)
}

/**
 * The cookie of a sign-in in progress, as a header. `Lax`, since the provider sends the browser back. Only the addresses of the sign-in
 * get it.
 */
export function flowCookieHeader(host: string, value: string, life: CookieLife): string {
  return headerOf(flowCookieName(host), value, 'Path=/sign-in; HttpOnly; SameSite=Lax', life)
}

function headerOf(name: string, value: string, attributes: string, { seconds, isSecure }: CookieLife): string {
  return `${name}=${value}; ${attributes}; Max-Age=${seconds}${isSecure ? '; Secure' : ''}`
}

/** The value of the cookie that a browser sends; `undefined` without one. */
export function readCookie(headers: Headers, host: string): string | undefined {
  return readNamed(headers, cookieName(host))
}

/** The same for a sign-in in progress. */
export function readFlowCookie(headers: Headers, host: string): string | undefined {
  return readNamed(headers, flowCookieName(host))
}

function readNamed(headers: Headers, name: string): string | undefined {
  const cookies = headers.get('cookie')
  if (cookies === null) return undefined
  for (const pair of cookies.split(';')) {
    const [key, value] = pair.trim().split('=', 2)
    if (key === name) return value
  }
  return undefined
}

/** Browsers share cookies between the ports of a host, so each port has its own name. */
function cookieName(host: string): string {
  return `foreword_${/:(\d+)$/.exec(host)?.[1] ?? '80'}`
}

function flowCookieName(host: string): string {
  return `${cookieName(host)}_sign_in`
}

/** Where a request comes from, as far as it can be known. */
export interface Remote {
  /** The address of the client: of a proxy on this machine, the one that it reports. */
  readonly address: string
  /** Whether the browser has reached the gateway, or a proxy on this machine before it, over https. */
  readonly isSecure: boolean
}

/** Reads where a request comes from. `socket` is the address of the connection; absent without one. */
export function remoteOf(request: Request, socket: string | undefined): Remote {
  const { headers, url } = request
  const isSecure = url.startsWith('https:')
  const plain = socket?.replace(/^::ffff:/, '')
  // Only a proxy on this machine is believed: anyone else can send these headers, too.
  if (plain !== undefined && !isLoopback(plain)) return { address: plain, isSecure }
  const reported = headers.get('x-forwarded-for')?.split(',').at(-1)?.trim()
  const isHttps = headers.get('x-forwarded-proto')?.split(',')[0]?.trim().toLowerCase() === 'https'
  return { address: reported?.slice(0, 64) || (plain ?? 'this process'), isSecure: isSecure || isHttps }
}

/** Whether a host name, as in a `Host` header without its port or in a `bind` option, can only mean this machine. */
export function isLoopback(name: string): boolean {
  const plain = name.replace(/^\[|\]$/g, '').toLowerCase()
  return plain === 'localhost' || plain === '::1' || (plain.startsWith('127.') && isIPv4(plain))
}
