import { timingSafeEqual } from 'node:crypto'
import {
  type Caller,
  includesScope,
  lesserScope,
  ownerCaller,
  RuntimeError,
  scopeOfRole,
  type TokenScope,
} from '../capability.ts'
import { type Clock, defined, type KnownSecrets, knownSecrets, sha256 } from '../platform.ts'
import {
  BROWSER_SESSION_SECONDS,
  type BrowserSessions,
  type GatewayTokens,
  isExpired,
  isThere,
  tokenId,
  type NamedToken,
  type People,
} from '../runtime.ts'
import { empty } from './answer.ts'
import type { Brake } from './brake.ts'
import { cookieHeader, isLoopback, readCookie, type Remote, remoteOf } from './cookies.ts'
import { HttpFailure } from './failure.ts'
import { type Connection, proxiedName, type TrustedProxySettings } from './trusted-proxy.ts'

/** A caller, and the token or cookie that admitted it. */
export interface Visitor extends Caller {
  /** SHA-256 of the token; absent where none was needed. */
  readonly token?: string
  readonly cookie?: string
}

/** Whose a request is, for what is shared fairly: a person has one share, and each token of the owner its own. */
export function ownerOf({ by, person }: Visitor): string {
  return person === undefined ? by : `person:${person}`
}

/** A request may pass, or is answered here: a browser that brings its token in the address gets a cookie for it. */
type Entry = { readonly visitor: Visitor } | { readonly answer: Response }

export type Guard = ReturnType<typeof createGuard>

/** A caller of an endpoint that needs no token. */
const nobody: Visitor = { by: 'nobody', scope: 'none' }

/** Creates the guard of one address. A right token always passes at once; wrong ones are slowed down by the brake. */
export function createGuard({
  token,
  named,
  uses,
  secrets,
  people,
  browsers,
  brake,
  bind,
  allowedHosts = [],
  publicUrl,
  signIn,
  trustedProxy,
  isOpen,
  clock,
}: {
  readonly clock: Clock
  /** The token of the owner now. Absent: every caller on this machine may enter. */
  token(): string | undefined
  readonly named?: GatewayTokens['named'] | undefined
  readonly uses?: GatewayTokens['uses'] | undefined
  readonly secrets?: KnownSecrets | undefined
  /** Those whose tokens and browsers enter homes of their own. */
  readonly people?: Pick<People, 'find'> | undefined
  readonly browsers: BrowserSessions
  readonly brake: Brake
  readonly bind: string
  /** Names, with or without a port, that this gateway is also reached by. */
  readonly allowedHosts?: readonly string[] | undefined
  /** Address that browsers reach this gateway by. */
  readonly publicUrl?: string | undefined
  /** Where people can sign in with a provider. */
  readonly signIn?: object | undefined
  /** A proxy that names people in a header. */
  readonly trustedProxy?: TrustedProxySettings | undefined
  /** Whether anyone who reaches the port may ask for this path. */
  isOpen(method: string, path: string): boolean
}) {
  const own = publicUrl === undefined ? [] : [new URL(publicUrl).host]
  const hosts = new Set([bind, ...allowedHosts, ...own].map((host) => host.toLowerCase()))
  const nameOfProxy = trustedProxy && proxiedName(trustedProxy)
  const ownerHash = hashOfLast(token)
  const seen = knownSecrets()
  const wrongToken = unauthorized('The token is wrong.')
  let lastHost: string | undefined

  /** The holder of a token with this hash, with an expired token, too. */
  function holderOf(hash: string): { readonly visitor: Visitor; readonly kept?: NamedToken } | undefined {
    const owner = ownerHash()
    if (owner !== undefined && timingSafeEqual(Buffer.from(hash), Buffer.from(owner))) {
      return { visitor: { ...ownerCaller, token: hash } }
    }
    const kept = named?.find(hash)
    if (kept === undefined || kept.invites) return undefined
    const { name, person } = kept
    const most = person === undefined ? 'admin' : scopeOf(person)
    if (most === undefined) return undefined
    const scope = lesserScope(kept.scope, most)
    return {
      visitor: { by: `token:${name}`, name, scope, token: hash, tokenId: tokenId(kept), ...defined({ person }) },
      kept,
    }
  }

  /** The most that a person may do; `undefined` for nobody. */
  function scopeOf(person: string): TokenScope | undefined {
    const found = people?.find(person)
    return isThere(found) ? scopeOfRole[found.role] : undefined
  }

  /** Somebody who has signed in without a token. */
  function signedIn(person: string): Visitor | undefined {
    const scope = scopeOf(person)
    return scope && { by: `person:${person}`, name: person, scope, person }
  }

  /** Throws for a token that has expired. */
  function admit(hash: string): Visitor | undefined {
    const holder = holderOf(hash)
    if (holder?.kept === undefined) return holder?.visitor
    if (isExpired(holder.kept, clock.now())) throw expired(holder.kept)
    uses?.note(holder.kept.name)
    return holder.visitor
  }

  /** The cookie for the first browser that an invitation comes with: it is worth nothing from then on. */
  async function acceptInvitation(hash: string): Promise<string | undefined> {
    const kept = named?.find(hash)
    if (!kept?.invites || kept.person === undefined || scopeOf(kept.person) === undefined) return undefined
    if (isExpired(kept, clock.now())) throw expiredInvitation(kept.person)
    try {
      await named!.revoke(kept.name, `person:${kept.person}`)
    } catch (error) {
      // Another browser was first.
      if (error instanceof RuntimeError && error.code === 'not-found') return undefined
      throw error
    }
    return browsers.beginFor(kept.person)
  }

  async function refuse({ address }: Remote, refusal: HttpFailure): Promise<never> {
    throw await brake.refuse(address, refusal)
  }

  async function bringToken(brought: string, host: string, remote: Remote): Promise<Entry> {
    const hash = sha256(brought)
    const invited = await acceptInvitation(hash)
    const visitor = invited === undefined ? admit(hash) : undefined
    if (invited === undefined && visitor === undefined)
      return refuse(remote, unauthorized('The token in this address is wrong.'))
    // The page could not show anything with it.
    if (visitor) requireScope(visitor, 'read', 'The page')
    const value = invited ?? (await browsers.begin(visitor!.token!))
    const cookie = cookieHeader(host, value, { seconds: BROWSER_SESSION_SECONDS, isSecure: remote.isSecure })
    return { answer: empty(303, { location: '/', 'set-cookie': cookie }) }
  }

  return {
    /** `socket` is the address of the connection, if there is one. Throws `HttpFailure` where the request may not pass. */
    enter(request: Request, path: string, socket: string | undefined, connection?: Connection): Entry | Promise<Entry> {
      const { headers } = request
      const host = hostOf(request)
      if (host !== lastHost) checkHost(host, hosts)
      lastHost = host
      checkOrigin(headers.get('origin'), host)
      if (ownerHash() === undefined) return { visitor: ownerCaller }
      const authorization = headers.get('authorization') ?? keyAuthorization(headers)
      if (authorization !== null) {
        if (isOpen(request.method, path)) return { visitor: nobody }
        const brought = /^bearer +(.+)$/i.exec(authorization)?.[1] ?? ''
        // It is no guess.
        if (brought === '') throw wrongToken
        const visitor = admit(sha256(brought))
        // A named token is known from its first use on: only its hash is kept.
        if (visitor?.name !== undefined)
          for (const each of [secrets, seen]) each?.learn(`token ${visitor.name}`, brought)
        return visitor ? { visitor } : refuse(remoteOf(request, socket), wrongToken)
      }
      if (path === '/' && request.url.includes('?')) {
        const brought = new URL(request.url).searchParams.get('token')
        if (brought !== null) return bringToken(brought, host, remoteOf(request, socket))
      }
      if (isOpen(request.method, path)) return { visitor: nobody }
      // What a proxy adds to each request of a browser is worth as much as a cookie, and no more.
      const proxied = isFromHere(headers) ? nameOfProxy?.(headers, socket, connection) : undefined
      if (proxied !== undefined) {
        const visitor = signedIn(proxied)
        if (visitor) return { visitor }
        throw unknownPerson(proxied)
      }
      const cookie = readCookie(headers, host)
      const browser = cookie !== undefined && isFromHere(headers) ? browsers.find(cookie) : undefined
      const visitor = browser && (browser.person === undefined ? admit(browser.token) : signedIn(browser.person))
      if (visitor) return { visitor: { ...visitor, ...defined({ cookie }) } }
      throw unauthorized('The token is missing.', signIn && { signIn: '/sign-in' })
    },
    /** Whose home a request asks for; `undefined`: that of the owner, or none. It may still be refused. */
    personOf(headers: Headers, socket: string | undefined, brought?: string): string | undefined {
      const authorization = brought === undefined ? (headers.get('authorization') ?? keyAuthorization(headers)) : null
      const known = brought ?? /^bearer +(.+)$/i.exec(authorization ?? '')?.[1]
      if (known !== undefined) return holderOf(sha256(known))?.visitor.person
      if (authorization !== null || !isFromHere(headers)) return undefined
      const cookie = readCookie(headers, headers.get('host')?.toLowerCase() ?? '')
      const browser = cookie === undefined ? undefined : browsers.find(cookie)
      return nameOfProxy?.(headers, socket) ?? browser?.person ?? (browser && holderOf(browser.token)?.visitor.person)
    },
    /** Names of headers that name a person here and come from elsewhere than the proxy, in small letters. */
    headersToDrop(headers: Headers, socket: string | undefined, connection: Connection): readonly string[] {
      if (trustedProxy === undefined || nameOfProxy?.(headers, socket, connection) !== undefined) return []
      return [trustedProxy.header.toLowerCase()]
    },
    /** Whether it contains a token: in any form where it is known, and as a word where it was made and not used yet. */
    holdsToken(text: string | Uint8Array) {
      const owner = token()
      if (owner !== undefined) seen.learn('token', owner)
      if (typeof text !== 'string') return seen.findInBytes(text) !== undefined
      const words = text.match(/(?<![\w-])[\w-]{43}(?![\w-])/g) ?? []
      return seen.find(text) !== undefined || words.some((word) => holderOf(sha256(word)) !== undefined)
    },
    isValid({ token: hash, cookie, person }: Visitor) {
      if (hash === undefined)
        return (
          person === undefined ||
          (scopeOf(person) !== undefined && (cookie === undefined || browsers.find(cookie) !== undefined))
        )
      const holder = holderOf(hash)
      if (holder === undefined || (holder.kept && isExpired(holder.kept, clock.now()))) return false
      return cookie === undefined || browsers.find(cookie) !== undefined
    },
  }
}

/** Throws where the scope of a caller does not include what is needed. `what` begins the sentence. */
export function requireScope({ scope, name, person }: Caller, needed: TokenScope, what: string): void {
  if (includesScope(scope, needed)) return
  if (scope === 'none') throw unauthorized('The token is missing.')
  throw new RuntimeError(
    'forbidden',
    `${what} needs a token of the scope ${needed}, and ${name} has the scope ${scope}.`,
    { scope: needed },
    {
      hint:
        person === undefined
          ? `\`foreword token new NAME --scope ${needed}\` makes one.`
          : 'Ask the owner of this gateway.',
    },
  )
}

/** The name that a request uses for this gateway, in lower case. */
export function hostOf(request: Request): string {
  return (request.headers.get('host') ?? new URL(request.url).host).toLowerCase()
}

/** The SHA-256 of a text that seldom changes. */
function hashOfLast(read: () => string | undefined): () => string | undefined {
  let last: { readonly text: string; readonly hash: string } | undefined
  return () => {
    const text = read()
    if (text === undefined || text === '') return undefined
    if (last?.text !== text) last = { text, hash: sha256(text) }
    return last.hash
  }
}

/** A foreign page can make its own name resolve to this machine; then `Host` contains that name. */
function checkHost(host: string, allowed: ReadonlySet<string>): void {
  const name = host.replace(/:\d*$/, '')
  const isName = URL.canParse(`http://${host}`)
  if (
    isName &&
    (isLoopback(name) || allowed.has(host) || allowed.has(name) || allowed.has(name.replace(/^\[|\]$/g, '')))
  )
    return
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

/** Clients of Anthropic's format bring the token in a header of their own. */
function keyAuthorization(headers: Headers): string | null {
  const key = headers.get('x-api-key')
  return key === null ? null : `Bearer ${key}`
}

/** `facts`: where people can sign in without one. */
function unauthorized(message: string, facts: { readonly signIn?: string } = {}): HttpFailure {
  const other = facts.signIn === undefined ? '' : ` Or open ${facts.signIn} in a browser.`
  return new HttpFailure('unauthorized', message, facts, {
    hint: `Send it as "Authorization: Bearer TOKEN", or open the address that the gateway printed at its start.${other}`,
    headers: { 'www-authenticate': 'Bearer realm="foreword"' },
  })
}

function expired({ name, scope, expires }: NamedToken): HttpFailure {
  return new HttpFailure(
    'unauthorized',
    `The token ${name} has expired (${expires}).`,
    { token: name },
    {
      hint: `\`foreword token revoke ${name}\`, then \`foreword token new ${name} --scope ${scope}\` makes a new one.`,
      headers: { 'www-authenticate': 'Bearer realm="foreword", error="invalid_token"' },
    },
  )
}

function unknownPerson(name: string): HttpFailure {
  const hint = 'The owner of the gateway adds people with `foreword people add`.'
  const shown = JSON.stringify(name.slice(0, 100))
  return new HttpFailure('unauthorized', `The proxy names ${shown}, who is not one of the people here.`, {}, { hint })
}

function expiredInvitation(person: string): HttpFailure {
  const hint = `The owner of the gateway makes a new one with \`foreword people invite ${person}\`.`
  return new HttpFailure('unauthorized', 'This invitation has expired.', { person }, { hint })
}

/** The shortest token that is accepted for an address that others can reach, characters. */
const SHORTEST_TOKEN = 24

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
