import type { Failure } from '../../capability.ts'
import { securityHeaders } from '../../server.ts'
import type { Target } from './address.ts'
import { filterPairs, type HeaderPairs, pairsOf } from './forward-to-provider.ts'
import { endToEnd } from './outgoing-request.ts'

export interface CameAnswer {
  readonly status: number
  readonly headers: HeaderPairs
}

/** Headers of every answer on these paths: whatever a provider sends, a browser neither shows nor runs it as a page of the gateway. */
export const answerHeaders = {
  ...securityHeaders,
  'content-security-policy': `sandbox; ${securityHeaders['content-security-policy']}`,
} as const

/**
 * What of the head of an answer may come back: nothing that a browser would obey for the address of the gateway, and no way to
 * another place. `prefix`: the address of the provider at the gateway, as the caller wrote it. Pure.
 */
export function returningAnswer(
  { status, headers }: CameAnswer,
  { target, prefix }: { readonly target: Target; readonly prefix: string },
): { readonly headers: HeaderPairs } | { readonly refuse: Failure } {
  const kept: string[] = []
  const given = filterPairs(endToEnd(headers), (name) => !OBEYED.test(name) && !(name in answerHeaders))
  for (const [name, value] of pairsOf(given)) {
    const place = name.toLowerCase() === 'location' ? placeHere(value, target, prefix) : value
    if (place !== undefined) kept.push(name, place)
    else if (status >= 300 && status < 400) return { refuse: redirected(target.server) }
  }
  return { headers: [...kept, ...Object.entries(answerHeaders).flat()] }
}

/** Headers with which a server decides about its address in a browser or at a proxy before it, or asks a person for a password there. */
const OBEYED = new RegExp(
  `^(?:${[
    'set-cookie2?|clear-site-data|refresh|service-worker-.*|www-authenticate|authentication-info|set-login|login-status',
    'idp-signin-status|(?:secure|sec)-.*|strict-transport-security|public-key-pins.*|expect-ct|alt-svc|alt-used',
    'content-security-policy.*|x-content-security-policy.*|x-webkit-csp.*|integrity-policy.*|cross-origin-.*|origin-.*',
    'access-control-.*|timing-allow-origin|x-permitted-cross-domain-policies|activate-storage-access',
    'link|speculation-rules|connection-allowlist|allow-csp-from|delegate-ch|set-txn-.*|edge-.*|p3p|supports-loading-mode|no-vary-search|use-as-dictionary|x-dns-prefetch-control|x-ua-compatible',
    'report-to|reporting-endpoints|nel|permissions-policy.*|feature-policy|(?:require-)?document-.*|accept-ch.*|critical-ch',
    '(?:[\\w-]+-)?cache-control|surrogate-.*|x-accel-(?!buffering).*|x-sendfile.*|x-lighttpd-.*|x-reproxy-.*',
    'sourcemap|x-sourcemap|x-xss-protection|attribution-reporting-.*|ad-auction-.*|observe-browsing-topics|x-foreword-.*',
  ].join('|')})$`,
)

/** The address at the gateway of a place below that of the provider; `undefined` for any other place. */
function placeHere(location: string, { server, base, path }: Target, prefix: string): string | undefined {
  // A backslash counts as a slash in an address, and what is escaped may be one at the next server.
  if (/[\\\s]|%(?:2e|2f|5c|25)/i.test(location)) return undefined
  const here = `${server.origin}${path}`
  if (!URL.canParse(location, here)) return undefined
  const { origin, pathname, search, username, password } = new URL(location, here)
  if (origin !== server.origin || `${username}${password}` !== '' || pathname.includes('//')) return undefined
  return `${pathname}/`.startsWith(`${base}/`) ? `${prefix}${pathname.slice(base.length)}${search}` : undefined
}

function redirected({ host }: URL): Failure {
  return {
    status: 502,
    code: 'server',
    message: `${host} answered that this call belongs to another address, where neither a key nor a conversation goes.`,
    hint: 'If it has moved, change `baseURL` of its provider in config.json.',
    facts: {},
    headers: {},
  }
}
