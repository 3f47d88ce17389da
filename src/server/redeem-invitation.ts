import { RuntimeError, type TokenScope } from '../capability.ts'
import type { Clock } from '../platform.ts'
import { type BrowserSessions, isExpired, type NamedTokens } from '../runtime.ts'
import { expiredInvitation } from './guard-failures.ts'

interface Invitations {
  readonly named: Pick<NamedTokens, 'find' | 'revoke'> | undefined
  readonly browsers: Pick<BrowserSessions, 'beginFor'>
  readonly clock: Pick<Clock, 'now'>
  /** `undefined`: there is no such person any more. */
  scopeOf(person: string): TokenScope | undefined
}

/**
 * The cookie for the first browser that an invitation comes with: it is worth nothing from then on. `undefined`: it is none, or another
 * browser was first. Throws where it has expired.
 */
export async function redeemInvitation(
  hash: string,
  { named, browsers, clock, scopeOf }: Invitations,
): Promise<string | undefined> {
  const kept = named?.find(hash)
  if (!kept?.invites || kept.person === undefined || scopeOf(kept.person) === undefined) return undefined
  if (isExpired(kept, clock.now())) throw expiredInvitation(kept.person)
  try {
    await named!.revoke(kept.name, `person:${kept.person}`)
  } catch (error) {
    if (error instanceof RuntimeError && error.code === 'not-found') return undefined
    throw error
  }
  return browsers.beginFor(kept.person)
}
