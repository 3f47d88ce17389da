import { createHmac, hash, timingSafeEqual } from 'node:crypto'
import { empty } from './answer.ts'
import { HttpFailure } from './failure.ts'

interface GuardOptions {
  /** Absent: every caller on this machine may enter. */
  readonly token?: string | undefined
  readonly bind: string
  /** Names, with or without a port, that this gateway is also reached by. */
  readonly allowedHosts?: readonly string[] | undefined
  /** Whether anyone who reaches the port may ask for this path. */
  isOpen(method: string, path: string): boolean
}

/**
 * Checks every request first. Returns nothing where the request may pass, a response where it is answered here (a browser
 * that brings its token in the address gets a cookie for it), and throws `HttpFailure` where it may not.
 */
type Guard = (request: Request, path: string) => Response | undefined

/** Creates the guard for one token and one address. */
export function createGuard({ token, bind, allowedHosts = [], isOpen }: GuardOptions): Guard {
  const hosts = new Set([bind, ...allowedHosts].map((host) => host.toLowerCase()))
  const expected = token ? digest(token) : undefined
  const cookieValue = token ? cookieOf(token) : ''
  const expectedCookie = digest(cookieValue)

  return (request, path) => {
    const { headers } = request
    const host = (headers.get('host') ?? new URL(request.url).host).toLowerCase()
    checkHost(host, hosts)
    checkOrigin(headers.get('origin'), host)
    if (expected === undefined) return undefined
    const open = isOpen(request.method, path)
    const authorization = headers.get('authorization')
    if (authorization !== null) {
      if (open || matchesDigest(bearer(authorization), expected)) return undefined
      throw unauthorized('The token is wrong.')
    }
    if (path === '/' && request.url.includes('?')) {
      const brought = new URL(request.url).searchParams.get('token')
      if (brought !== null) return enter(matchesDigest(brought, expected), host, cookieValue)
    }
    if (open) return undefined
    const cookie = headers.get('cookie')
    const value = cookie === null ? undefined : readCookie(cookie, cookieName(host))
    if (value !== undefined && matchesDigest(value, expectedCookie) && isFromHere(headers)) return undefined
    throw unauthorized('The token is missing.')
  }
}

/** A foreign page can make its own name resolve to this machine; then `Host` contains that name. */
function checkHost(host: string, allowed: ReadonlySet<string>): void {
  const name = host.replace(/:\d*$/, '')
  if (isLoopback(name) || allowed.has(host) || allowed.has(name) || allowed.has(name.replace(/^\[|\]$/g, ''))) return
  throw new HttpFailure(
    'host-not-allowed',
    `${JSON.stringify(name)} is not a name of this gateway.`,
    {},
    { hint: 'If it is yours, add it to gateway.allowedHosts.' },
  )
}

/** Browsers send the origin of a page; pages of other origins are refused. Programs send no `Origin`. */
function checkOrigin(origin: string | null, host: string): void {
  if (origin === null) return
  const from = URL.canParse(origin) ? new URL(origin) : undefined
  if (from !== undefined && /^https?:$/.test(from.protocol) && sameHost(from, host)) return
  throw new HttpFailure(
    'origin-not-allowed',
    `Pages of ${JSON.stringify(origin)} may not use this gateway.`,
    {},
    { hint: 'Only its own pages may.' },
  )
}

/** `Host` may or may not name the default port of the scheme. */
function sameHost(origin: URL, host: string): boolean {
  return origin.host === host || host === `${origin.hostname}:${origin.protocol === 'https:' ? 443 : 80}`
}

/** Browsers send the cookie with requests from pages on other ports of this machine, too, but mark those requests. */
function isFromHere(headers: Headers): boolean {
  const site = headers.get('sec-fetch-site')
  return site === null || site === 'same-origin' || site === 'none'
}

function enter(ok: boolean, host: string, value: string): Response {
  if (!ok) throw unauthorized('The token in this address is wrong.')
  return empty(303, { location: '/', 'set-cookie': cookieHeader(host, value) })
}

/** The header that gives the browser of a request the cookie of a token. */
export function browserCookie(request: Request, token: string): string {
  return cookieHeader((request.headers.get('host') ?? new URL(request.url).host).toLowerCase(), cookieOf(token))
}

/** The cookie is not the token: nobody who reads it can use it as one, and a new token invalidates it. */
function cookieOf(token: string): string {
  return createHmac('sha256', token).update('foreword browser session').digest('hex')
}

function cookieHeader(host: string, value: string): string {
  return `${cookieName(host)}=${value}; Path=/; HttpOnly; SameSite=Strict; Max-Age=31536000`
}

/** Browsers share cookies between the ports of a host, so each port has its own name. */
function cookieName(host: string): string {
  return `foreword_${/:(\d+)$/.exec(host)?.[1] ?? '80'}`
}

function readCookie(header: string, name: string): string | undefined {
  for (const pair of header.split(';')) {
    const [key, value] = pair.trim().split('=', 2)
    if (key === name) return value
  }
  return undefined
}

function bearer(authorization: string): string {
  return /^bearer +(.+)$/i.exec(authorization)?.[1] ?? ''
}

/** Digests have one length, so that a comparison takes the same time for every guess. */
function matchesDigest(given: string, expected: Buffer): boolean {
  return timingSafeEqual(digest(given), expected)
}

function digest(text: string): Buffer {
  return hash('sha256', text, 'buffer')
}

function unauthorized(message: string): HttpFailure {
  return new HttpFailure(
    'unauthorized',
    message,
    {},
    {
      hint: 'Send it as "Authorization: Bearer TOKEN", or open the address that the gateway printed at its start.',
      headers: { 'www-authenticate': 'Bearer realm="foreword"' },
    },
  )
}

/** Whether a host name, as in a `Host` header without its port or in a `bind` option, can only mean this machine. */
function isLoopback(name: string): boolean {
  const plain = name.replace(/^\[|\]$/g, '').toLowerCase()
  return plain === 'localhost' || plain === '::1' || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(plain)
}

/** The shortest token that is accepted for an address that others can reach, characters. */
const SHORTEST_TOKEN = 24

/** Prints 32 random bytes as 43 characters. */
const MAKES_A_TOKEN = `node -p 'crypto.randomBytes(32).toString("base64url")'`

/** Throws where an address that others can reach would have no token, or one that is short enough to guess. */
export function assertBindIsSafe(bind: string, token: string | undefined): void {
  if (isLoopback(bind)) return
  const { length } = token ?? ''
  if (length === 0) {
    throw new Error(
      `The gateway will not listen on ${bind} without a token: anyone who reaches that address could read and write ` +
        'everything. Set gateway.token (FOREWORD_GATEWAY_TOKEN), or bind to 127.0.0.1.',
    )
  }
  if (length < SHORTEST_TOKEN) {
    throw new Error(
      `The gateway will not listen on ${bind} with a token of ${length} characters: others can reach that address and ` +
        `guess it. Remove gateway.token (FOREWORD_GATEWAY_TOKEN) and the file data/token of the home: the gateway then ` +
        `creates a token itself. Or set one of at least ${SHORTEST_TOKEN} characters: \`${MAKES_A_TOKEN}\` prints one.`,
    )
  }
}
