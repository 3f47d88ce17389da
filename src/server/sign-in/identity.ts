import type { PersonRole } from '../../capability.ts'
import { defined } from '../../platform.ts'
import type { Configuration } from '../../runtime.ts'

export type OpenidSettings = NonNullable<Configuration['gateway']['openid']>

/** Who somebody is at the provider, as it says at this sign-in. */
export interface SignedInIdentity {
  readonly issuer: string
  readonly sub: string
  /** In lower case. Only where the provider says that it is verified. */
  readonly email?: string
  /** As in the claim of `nameClaim`. */
  readonly name?: string
  readonly groups: readonly string[]
  /** By the groups; absent where no roles are configured. */
  readonly role?: PersonRole
}

/** What a provider says about somebody: the claims of a token or of its endpoint for them. */
export type Claims = Readonly<Record<string, unknown>>

type IdentitySettings = Pick<OpenidSettings, 'groupsClaim' | 'nameClaim' | 'roles'>

/** Reads claims. Those of the token count before those of the endpoint; an address counts from where it is verified. */
export function readIdentity(
  { issuer, sub }: Pick<SignedInIdentity, 'issuer' | 'sub'>,
  sources: readonly Claims[],
  { groupsClaim, nameClaim, roles }: IdentitySettings,
): SignedInIdentity {
  const groups = textsOf(firstOf(sources, groupsClaim))
  const verified = sources.find((claims) => claims['email_verified'] === true && typeof claims['email'] === 'string')
  const name = firstOf(sources, nameClaim)
  const isMember = roles !== undefined && groups.some((group) => roleOf(roles, group) === 'member')
  const role: PersonRole = isMember ? 'member' : 'guest'
  return {
    issuer,
    sub,
    groups,
    ...defined({
      email: verified && String(verified['email']).toLowerCase(),
      name: typeof name === 'string' && name !== '' ? name : undefined,
      role: roles && role,
    }),
  }
}

/** Whether a rule allows somebody. No rule allows anybody by itself. */
export function isLetIn(
  { email, groups }: SignedInIdentity,
  { emails, domains, groups: allowed }: OpenidSettings['allow'],
): boolean {
  const isListed = (list: readonly string[] = [], text: string) => list.some((each) => each.toLowerCase() === text)
  if (email !== undefined) {
    if (isListed(emails, email)) return true
    const at = email.lastIndexOf('@')
    if (at > 0 && isListed(domains, email.slice(at + 1))) return true
  }
  return allowed?.some((group) => groups.includes(group)) ?? false
}

/** Names of groups come from elsewhere: `constructor` is no role. */
function roleOf(roles: NonNullable<IdentitySettings['roles']>, group: string): PersonRole | undefined {
  return Object.hasOwn(roles, group) ? roles[group] : undefined
}

function firstOf(sources: readonly Claims[], claim: string): unknown {
  return sources.find((claims) => Object.hasOwn(claims, claim))?.[claim]
}

/** Some providers write one group as a text. */
function textsOf(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value]
  return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : []
}
