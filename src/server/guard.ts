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
  type BrowserSession,
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
import { expired, unauthorized, unknownPerson, uselessLink } from './guard-failures.ts'
import { redeemInvitation } from './redeem-invitation.ts'
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

/** What a request brings to be known by. An empty token is none. */
type Brought =
  | { readonly type: 'token'; readonly token: string }
  | { readonly type: 'proxy'; readonly person: string }
  | { readonly type: 'cookie'; readonly cookie: string; readonly browser: BrowserSession }

/** Somebody who is known, and the named token by which they are. */
interface Holder {
  readonly visitor: Visitor
  readonly kept?: NamedToken
}

/** Where a request comes from: the address of the other end, and the connection itself. */
interface From {
  readonly socket: string | undefined
  readonly connection?: Connection | undefined
}

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
  peerAddress,
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
  /** Address that other gateways, and the health checks of a web server in front, reach it by. */
  readonly peerAddress?: string | undefined
  /** Where people can sign in with a provider. */
  readonly signIn?: object | undefined
  /** A proxy that names people in a header. */
  readonly trustedProxy?: TrustedProxySettings | undefined
  /** Whether anyone who reaches the port may ask for this path. */
  isOpen(method: string, path: string): boolean
}) {
  const own = [publicUrl, peerAddress].flatMap((address) => (address === undefined ? [] : new URL(address).host))
  const hosts = new Set([bind, ...allowedHosts, ...own].map((host) => host.toLowerCase()))
  const nameOfProxy = trustedProxy && proxiedName(trustedProxy)
  const ownerHash = hashOfLast(token)
  const seen = knownSecrets()
  const wrongToken = unauthorized('The token is wrong.')
  const missingToken = () => unauthorized('The token is missing.', signIn && { signIn: '/sign-in' })
  let lastHost: string | undefined

  /** The holder of a token with this hash, with an expired token, too. */
  function holderOf(hash: string): Holder | undefined {
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
  function signedIn(person: string): Holder | undefined {
    const scope = scopeOf(person)
    return scope && { visitor: { by: `person:${person}`, name: person, scope, person } }
  }

  /** A token counts before what a proxy or a browser adds by itself, which pages of others may have caused. */
  function broughtBy(headers: Headers, host: string, { socket, connection }: From): Brought | undefined {
    const authorization = headers.get('authorization') ?? keyAuthorization(headers)
    if (authorization !== null) return { type: 'token', token: /^bearer +(.+)$/i.exec(authorization)?.[1] ?? '' }
    if (!isFromHere(headers)) return undefined
    // What a proxy adds to each request of a browser is worth as much as a cookie, and no more.
    const person = nameOfProxy?.(headers, socket, connection)
    if (person !== undefined) return { type: 'proxy', person }
    const cookie = readCookie(headers, host)
    const browser = cookie === undefined ? undefined : browsers.find(cookie)
    return browser && { type: 'cookie', cookie: cookie!, browser }
  }

  /** Who brings it, with an expired token, too. */
  function holderFor(brought: Brought): Holder | undefined {
    if (brought.type === 'token') return holderOf(sha256(brought.token))
    if (brought.type === 'proxy') return signedIn(brought.person)
    const { person, token: hash } = brought.browser
    return person === undefined ? holderOf(hash) : signedIn(person)
  }

  /** Throws for a token that has expired. */
  function admit(holder: Holder | undefined): Visitor | undefined {
    if (holder?.kept === undefined) return holder?.visitor
    if (isExpired(holder.kept, clock.now())) throw expired(holder.kept)
    uses?.note(holder.kept.name)
    return holder.visitor
  }

  async function refuse({ address }: Remote, refusal: HttpFailure): Promise<never> {
    throw await brake.refuse(address, refusal)
  }

  async function bringToken(brought: string, host: string, remote: Remote): Promise<Entry> {
    const hash = sha256(brought)
    const invited = await redeemInvitation(hash, { named, browsers, clock, scopeOf })
    const visitor = invited === undefined ? admit(holderOf(hash)) : undefined
    if (invited === undefined && visitor === undefined) return refuse(remote, uselessLink())
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
      const hasToken = headers.has('authorization') || headers.has('x-api-key')
      if (!hasToken && path === '/' && request.url.includes('?')) {
        const brought = new URL(request.url).searchParams.get('token')
        if (brought !== null) return bringToken(brought, host, remoteOf(request, socket))
      }
      if (isOpen(request.method, path)) return { visitor: nobody }
      const brought = broughtBy(headers, host, { socket, connection })
      if (brought === undefined) throw missingToken()
      // It is no guess.
      if (brought.type === 'token' && brought.token === '') throw wrongToken
      const visitor = admit(holderFor(brought))
      if (visitor === undefined) {
        if (brought.type === 'token') return refuse(remoteOf(request, socket), wrongToken)
        if (brought.type === 'proxy') throw unknownPerson(brought.person)
        throw missingToken()
      }
      // A named token is known from its first use on: only its hash is kept.
      if (brought.type === 'token' && visitor.name !== undefined)
        for (const each of [secrets, seen]) each?.learn(`token ${visitor.name}`, brought.token)
      return { visitor: brought.type === 'cookie' ? { ...visitor, cookie: brought.cookie } : visitor }
    },
    /**
     * Whose home a request asks for; `undefined`: that of the owner, or none. It may still be refused. `elsewhere`: the token that it
     * brings in another place than a header.
     */
    personOf(headers: Headers, from: From, elsewhere?: string): string | undefined {
      const host = headers.get('host')?.toLowerCase() ?? ''
      const brought: Brought | undefined =
        elsewhere === undefined ? broughtBy(headers, host, from) : { type: 'token', token: elsewhere }
      return brought && holderFor(brought)?.visitor.person
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
