import { RuntimeError } from '../../capability.ts'
import { callFormat, type ForeignRequestHead } from '../../foreign.ts'
import type { ProviderServer } from '../../model.ts'
import { decodeUrlPart, defined } from '../../platform.ts'
import { splitSegment, type Target } from './address.ts'
import { filterPairs, type HeaderPairs, pairsOf } from './forward-to-provider.ts'
import { besideProject, isSignInToken, keyIn, PROJECT } from './gateway-token.ts'
import { CALL_RULE } from './relay-settings.ts'

/** A call as it came, behind the guard. */
export interface IncomingRequest {
  readonly method: string
  /** Behind the provider, as it came, with its query. */
  readonly path: string
  readonly headers: HeaderPairs
}

export interface OutgoingRules {
  readonly server: Pick<ProviderServer, 'name' | 'baseURL' | 'headers' | 'keyHeader' | 'calls'>
  /** The gateway's own: `undefined` where the provider asks for none, an error where it is missing. */
  readonly key: string | undefined | Error
  /** Whether a text contains a token of this gateway. */
  readonly holdsToken: (text: string) => boolean
  /** Whether the caller may call whatever the provider has, with whatever key. */
  readonly anyPath: boolean
  /** Calls that others may make beside those of known formats, such as `POST /v1/files` or `/v1/files/*`. */
  readonly paths: readonly string[]
  /** Whether sign-in tokens of subscriptions leave. */
  readonly signInTokens: boolean
}

export interface OutgoingRequest {
  readonly target: Target
  readonly headers: HeaderPairs
  /** Without any key. */
  readonly head: ForeignRequestHead
}

/**
 * What of a call may leave: neither a token nor a cookie of this gateway, nor what proxies before it have added; the key of the
 * caller or else ours; and a path that stays below the address of the provider. Throws what is to be refused. Pure.
 */
export function outgoingRequest(came: IncomingRequest, rules: OutgoingRules): OutgoingRequest {
  const { server, key, anyPath, paths, signInTokens } = rules
  if (!METHODS.has(came.method)) throw refused(`The method ${came.method.slice(0, 20)} does not go through.`)
  for (const [name, value] of pairsOf(came.headers)) {
    if (ASKED_BY_PAGE.get(plainName(name))?.test(value.trim()) === false) throw pageRefused()
    if (/^transfer-encoding$/i.test(name) && !/^chunked$/i.test(value.trim())) {
      throw refused('A body may come in the transfer encoding `chunked` and in no other.')
    }
  }
  const path = plainPath(came.path, rules)
  const [plain, query] = splitQuery(path)
  const given = ownHeaders(came.headers, rules)
  const keys = [...headerKeys(given, server), ...queryKeys(query)]
  if (!signInTokens && keys.some(isSignInToken)) throw signInRefused()
  const isOwnKey = keys.length > 0
  // A key of the caller's own is a right of the caller's own, where the provider asks for one.
  const isAllowed = anyPath || isCall(came.method, plain, [...(server.calls ?? []), ...paths])
  if (!isAllowed && !(isOwnKey && key !== undefined)) throw pathRefused(came.method, plain, server.name)
  if (!isOwnKey && key instanceof Error) throw key
  const ours =
    isOwnKey || key instanceof Error ? [] : ownPairs({ keyHeader: vendorKeyHeader(plain), ...defined(server) }, key)
  const headers = ours.length === 0 ? given : [...withoutNames(given, ours, server), ...ours]
  return {
    target: targetOf(server, path),
    headers,
    head: { method: came.method, path: `${plain}${withoutKeys(query)}`, headers: withoutCredentials(given, server) },
  }
}

/** TRACE would give the caller the key that was added. */
const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])

/** What a browser says of a request: all but the data for a script would be shown or run as a page of the gateway. */
const ASKED_BY_PAGE: ReadonlyMap<string, RegExp> = new Map([
  ['sec-fetch-dest', /^empty$/i],
  ['sec-fetch-mode', /^(?:cors|no-cors|same-origin)$/i],
  ['sec-fetch-site', /^(?:same-origin|none)$/i],
  ['sec-purpose', /^$/],
  ['upgrade-insecure-requests', /^$/],
])

/** The path in its plain form, with its query. What it means has to be clear to each server that reads it, decoded once or more. */
function plainPath(given: string, { holdsToken }: Pick<OutgoingRules, 'holdsToken'>): string {
  if (holdsToken(given)) {
    throw refused(
      'This call has a token of the gateway in its path or its query.',
      'It belongs into the header `x-foreword-token`.',
    )
  }
  const [path, query] = splitQuery(given)
  const segments = path
    .replaceAll(/\/{2,}/g, '/')
    .split('/')
    .map(plainSegment)
  if (!/^[\x21-\x7e]*$/.test(given) || given.includes('#') || segments.includes(undefined)) {
    throw refused(
      `The path ${JSON.stringify(path.slice(0, 200))} has a segment that could lead elsewhere.`,
      'Write the path below the address of the provider without `.`, `..`, backslashes and characters that are escaped twice.',
    )
  }
  return `${segments.join('/')}${query}`
}

/** `undefined`: it may mean another one. */
function plainSegment(segment: string): string | undefined {
  let text: string
  try {
    text = decodeURIComponent(segment)
  } catch {
    // Neither a percent sign that escapes nothing, nor UTF-8 that is longer than it has to be.
    return undefined
  }
  if (/[\p{Cc}\\]|%[\da-f]{2}/iu.test(text)) return undefined
  const inner = text.normalize('NFKC').split(/[/\\]/)
  const leadsAway = (part: string): boolean =>
    /^[.\s]*$/.test(part.replace(/;.*$/s, '')) && (part !== '' || inner.length > 1)
  if (inner.some(leadsAway)) return undefined
  // Escapes of what needs none are undone (RFC 3986, 6.2.2.2): a format is known by its path.
  return segment.replaceAll(/%[2-7][\da-f]/gi, decodeUnreserved)
}

function decodeUnreserved(escape: string): string {
  const character = decodeURIComponent(escape)
  return /[\w.~-]/.test(character) ? character : escape
}

function splitQuery(path: string): readonly [plain: string, query: string] {
  const at = path.indexOf('?')
  return at < 0 ? [path, ''] : [path.slice(0, at), path.slice(at)]
}

/**
 * The address at the provider. What addresses of APIs end with (`/v1`, `/openai`) may be in the path, in the configured address, or
 * in both; a path that begins with a version or a format of its own takes the place of the configured version.
 */
function targetOf({ baseURL }: Pick<ProviderServer, 'baseURL'>, path: string): Target {
  const server = new URL(baseURL)
  const base = server.pathname.replace(/\/+$/, '')
  const [first] = splitSegment(path)
  const words = /(?:\/(?:v\d+\w*|api|openai|anthropic))*$/.exec(base)![0].split('/').slice(1)
  const isOther = /^(?:v\d+(?:alpha|beta)?\d*|openai|anthropic)$/.test(first) && /^v\d/.test(words.at(-1) ?? '')
  const twice = words.includes(first) ? words.slice(words.indexOf(first)) : isOther ? words.slice(-1) : []
  const kept = twice.length === 0 ? base : base.slice(0, -twice.join('/').length - 1)
  return { server, base, path: `${kept}${path}` || '/' }
}

/** Whether a call is of a known format, asks for the list of models, or is one of `rules`. */
function isCall(method: string, path: string, rules: readonly string[]): boolean {
  const plain = withoutVersion(path)
  const isReading = method === 'GET' || method === 'HEAD'
  if (isReading && (/^(?:\/v\d+)?\/?$/.test(path) || plain === '/models' || plain.startsWith('/models/'))) return true
  // A format is known by the end of a path: of one that is longer, another end of it would be known, too.
  const isFormat = (each: string): boolean => callFormat({ method, path: each, headers: {} }) !== undefined
  if (isFormat(plain) && !isFormat(splitSegment(plain)[1])) return true
  return rules.some((rule) => {
    const [, only, wanted, below] = CALL_RULE.exec(rule) ?? []
    if (wanted === undefined || (only !== undefined && only !== method)) return false
    const start = withoutVersion(wanted)
    return plain === start || (below !== undefined && plain.startsWith(`${start}/`))
  })
}

/** Without what addresses of APIs begin with, and without a slash at its end. */
function withoutVersion(path: string): string {
  return path
    .replace(/^(?:\/(?:v\d+(?:alpha|beta)?\d*|api(?=\/v\d)|openai|anthropic|deployments\/[^/]+))+(?=\/|$)/, '')
    .replace(/^(?:\/projects\/[^/]+\/locations\/[^/]+(?=\/publishers\/))?(?:\/publishers\/google(?=\/models\/))?/, '')
    .replace(/\/$/, '')
}

/** Headers of the caller's own. Throws where a token of the gateway is in one that is not for keys. */
function ownHeaders(
  pairs: HeaderPairs,
  { holdsToken, server }: Pick<OutgoingRules, 'holdsToken' | 'server'>,
): HeaderPairs {
  const given = pairsOf(endToEnd(pairs)).filter(([name]) => !OF_OTHERS.test(plainName(name)))
  const isFromBrowser = given.some(([name]) => /^sec-fetch-site$/i.test(name))
  // Most calls have none in all of them together.
  const mayHold = holdsToken(given.map(wholeText).join('\n'))
  const own: string[] = []
  for (const [name, came] of given) {
    const plain = plainName(name)
    if (plain === 'cookie' && isFromBrowser) continue
    const value =
      plain === 'cookie' ? otherCookies(came) : plain === PROJECT ? (besideProject(came)?.project ?? came) : came
    if (value === '' && came !== '') continue
    if (!mayHold || !holdsToken(wholeText([name, value]))) own.push(name, value)
    else if (!isKeyHeader(name, server)) {
      throw refused(
        `This call has a token of the gateway in its header ${holdsToken(name) ? '' : `\`${plain}\` `}that would leave.`,
        'It belongs into the header `x-foreword-token`, or into the place of the API key.',
      )
    }
  }
  return own
}

/** What is for this gateway alone, what proxies before it say of the caller, and what would make another request of it. */
const OF_OTHERS = new RegExp(
  `^(?:${[
    'host|x-foreword-.*|cookie2|http2-settings|max-forwards|early-data',
    'forwarded|via|x-forward(?:ed.*|-for)|x-real-(?:ip|port)|x-(?:cluster-|appengine-user-|azure-)?client-?ip|x-azure-socketip|cdn-loop',
    '(?:true|fastly|fly|wl-proxy|proxy)-client-ip|x-nf-client-connection-ip|x-(?:proxyuser|remote|host|peer)-(?:ip|addr(?:ess)?)',
    'client-cert(?:-chain)?|(?:x-)?ssl-.*|x-client-(?:cert|verify|dn|subject).*|x-amzn-mtls-.*|x-arr-.*|x-appengine-.*|x-vercel-.*',
    'x-(?:authentik|authelia|pomerium|vouch|webauth|ms-client-principal|ms-token)-?.*|x-ms-client-principal|cloudfront-.*|akamai-.*|x-akamai-.*',
    'cf-(?:connecting-ip.*|pseudo-ipv4|ip(?:city|continent|country|latitude|longitude)|region.*|ray|visitor|worker|ew-via|access-jwt-assertion|access-authenticated-user-email)',
    'tailscale-.*|x-envoy-.*|x-auth-request-.*|x-amzn-oidc-.*|x-goog-(?:iap|authenticated-user)-.*|(?:x-)?remote-(?:user|name|email|groups?)',
    'x-original-.*|x-rewrite-url|x-http-method(?:-override)?|x-method-override',
  ].join('|')})$`,
)

/** Browsers share the cookies of a host between its ports; those of gateways have the port in their name. */
function otherCookies(value: string): string {
  const others = value.split(';').filter((pair) => !/^\s*foreword_/.test(pair))
  return others.join(';').trim()
}

/** A header with what is coded in it. */
function wholeText([name, value]: readonly [name: string, value: string]): string {
  const coded = /\bbasic\s+(\S+)/i.exec(value)?.[1]
  return `${name}: ${value}${coded === undefined ? '' : `\n${Buffer.from(coded, 'base64').toString()}`}`
}

function isKeyHeader(given: string, { keyHeader = '' }: Pick<ProviderServer, 'keyHeader'>): boolean {
  const name = plainName(given)
  return name === plainName(keyHeader) || KEY_HEADER.test(name)
}

const KEY_HEADER =
  /(?:^|-)(?:authorization|(?:api|subscription|access|auth|private|functions|rapidapi)-?(?:key|token))$/

/** Keys in headers, without the word `Bearer`. */
function headerKeys(pairs: HeaderPairs, server: OutgoingRules['server']): readonly string[] {
  return pairsOf(pairs).flatMap(([name, value]) => {
    const key = isKeyHeader(name, server) ? keyIn(value.trim()) : ''
    return key === '' || /^(?:bearer|basic)$/i.test(key) ? [] : [key]
  })
}

function queryKeys(query: string): readonly string[] {
  return Array.from(query.matchAll(QUERY_PAIR), ([, , name, value]) =>
    QUERY_KEY.test(plainName(name!)) ? decodeUrlPart(value!) : '',
  ).filter((value) => value !== '')
}

/** What is before a name, the name and its value; also of a query within a value. */
const QUERY_PAIR = /([?&;])([^=?&;]*)=([^?&;]*)/g

const QUERY_KEY = /^(?:key|(?:x-)?(?:api|subscription)-?key|(?:access|auth|oauth|api)-?token|token)$/

/** Without escapes and small differences that servers do not make. */
function plainName(name: string): string {
  return decodeUrlPart(name.replaceAll('+', ' ')).trim().toLowerCase().replaceAll('_', '-')
}

/** A query as it may be kept: what may be a secret has no value. */
function withoutKeys(query: string): string {
  return query.replaceAll(QUERY_PAIR, (pair, sign: string, name: string) =>
    MAY_BE_SECRET.test(plainName(name)) ? `${sign}${name}=…` : pair,
  )
}

const MAY_BE_SECRET = /key|token|secret|auth|pass|sig|cred|cookie|code|jwt/

/** Pairs as a record in lower case, several values of one name joined by `, `; without what may be a secret of the caller. */
function withoutCredentials(pairs: HeaderPairs, server: OutgoingRules['server']): Readonly<Record<string, string>> {
  const record: Record<string, string> = Object.create(null) as Record<string, string>
  for (const [given, value] of pairsOf(pairs)) {
    const name = given.toLowerCase()
    if (isKeyHeader(name, server) || /token|secret|cookie|password|signature|credential/.test(name)) continue
    record[name] = record[name] === undefined ? value : `${record[name]}, ${value}`
  }
  return record
}

/** The key of the gateway and its headers of this provider. */
function ownPairs(
  { keyHeader, headers }: Pick<ProviderServer, 'keyHeader' | 'headers'>,
  key: string | undefined,
): HeaderPairs {
  const others = Object.entries(headers).filter(([name]) => !/^(?:host|content-length)$/i.test(name))
  const pair = keyHeader === undefined ? ['authorization', `Bearer ${key}`] : [keyHeader, key!]
  return [...(key === undefined ? [] : pair), ...others.flat()]
}

/** Where Gemini's own API and deployments of Azure look for a key: in no `Authorization`, which Vertex and all others read. */
function vendorKeyHeader(path: string): string | undefined {
  if (/\/openai\/deployments\//.test(path)) return 'api-key'
  return callFormat({ method: 'POST', path, headers: {} }) === 'generate-content' && !path.includes('/projects/')
    ? 'x-goog-api-key'
    : undefined
}

/** Without what takes the place of ours: headers for keys that are empty, too. */
function withoutNames(pairs: HeaderPairs, ours: HeaderPairs, server: OutgoingRules['server']): HeaderPairs {
  const names = new Set(pairsOf(ours).map(([name]) => name.toLowerCase()))
  return filterPairs(pairs, (name) => !names.has(name) && !isKeyHeader(name, server))
}

/** Headers about one connection, which are not passed on (RFC 9110, 7.6.1), and what `expect` asks of the next server alone. */
const HOP_BY_HOP: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'expect',
])

/** Without what belongs to one connection alone. */
export function endToEnd(pairs: HeaderPairs): HeaderPairs {
  const named = new Set(
    pairsOf(pairs).flatMap(([name, value]) =>
      name.toLowerCase() === 'connection' ? value.split(',').map((each) => each.trim().toLowerCase()) : [],
    ),
  )
  // A `Connection` header cannot take away what says how long the body is, or what it is, or whose key is meant.
  const stays = (name: string): boolean =>
    /^(?:content-(?:length|type|encoding)|host)$/.test(name) || KEY_HEADER.test(name)
  return filterPairs(pairs, (name) => !HOP_BY_HOP.has(name) && (!named.has(name) || stays(name)))
}

function refused(message: string, hint?: string): RuntimeError {
  return new RuntimeError('invalid-input', message, {}, { hint })
}

function pageRefused(): RuntimeError {
  return new RuntimeError(
    'forbidden',
    'Answers of providers are data, and no browser may open them as a page, a frame, an image or a script.',
    {},
    { hint: 'Programs send no `sec-fetch-dest`. A script may use `fetch` from a page of the gateway.' },
  )
}

function signInRefused(): RuntimeError {
  return new RuntimeError(
    'forbidden',
    'This call brings the sign-in token of a subscription, and this gateway passes none on.',
    {},
    { hint: 'Its owner allows it with `foreword config set through.signInTokens true`. Or use an API key.' },
  )
}

function pathRefused(method: string, path: string, provider: string): RuntimeError {
  const call = `${method} ${path.slice(0, 200)}`
  return new RuntimeError(
    'forbidden',
    `${call} of ${provider} is no call of a known format, and this token may make no other.`,
    { scope: 'admin' },
    {
      // What a caller wrote is in no command but as a path.
      hint: `The owner allows it with \`foreword config set through.paths '${JSON.stringify([CALL_RULE.test(call) ? call : 'METHOD /PATH'])}'\`. A key of your own at a provider that asks for one needs no leave.`,
    },
  )
}
