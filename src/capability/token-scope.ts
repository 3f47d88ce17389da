/**
 * What a token of the gateway lets its holder do. `read`, `talk`, `approve` and `admin` each include the ones before; `mcp` is
 * the endpoint of MCP clients alone, which `admin` includes, too.
 */
export const tokenScopes = ['read', 'talk', 'approve', 'admin', 'mcp'] as const

export type TokenScope = (typeof tokenScopes)[number]

/** What a person may do in their own home: a `member` talks and decides about calls of tools, a `guest` talks. */
export const personRoles = ['member', 'guest'] as const

export type PersonRole = (typeof personRoles)[number]

/** The most that a token or a browser of somebody with this role may do. */
export const scopeOfRole: Readonly<Record<PersonRole, TokenScope>> = { member: 'approve', guest: 'talk' }

/** Who sent a request, as its token says. */
export interface Caller {
  /** `owner`, or `token:NAME`: what approvals and records of the audit name. */
  readonly by: string
  /** `none`: a caller without a token, at an endpoint that needs none. */
  readonly scope: TokenScope | 'none'
  /** The name of the token; absent for that of the owner. */
  readonly name?: string | undefined
  /** Whose home it opens; absent: that of the owner. */
  readonly person?: string | undefined
  /** Of a named token: its own id, which a later token of the same name does not have. */
  readonly tokenId?: string
}

/** The owner: a person at this machine, or a request with the token in `data/token`. */
export const ownerCaller: Caller = { by: 'owner', scope: 'admin' }

/** Who decided: the named token of a caller, or, of the owner, where it says that the decision was made. */
export function deciderOf({ name, by }: Caller, where: string): string {
  return name === undefined ? where : by
}

/** The lesser of two scopes, of which `most` is none of MCP. */
export function lesserScope(scope: TokenScope, most: TokenScope): TokenScope {
  return scope === 'mcp' || includesScope(most, scope) ? scope : most
}

/** Whether a token of one scope may do what needs another. */
export function includesScope(held: Caller['scope'], needed: TokenScope): boolean {
  if (held === needed || held === 'admin') return true
  if (held === 'none' || held === 'mcp' || needed === 'mcp') return false
  return tokenScopes.indexOf(held) > tokenScopes.indexOf(needed)
}
