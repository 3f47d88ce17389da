import type { Clock } from '../../platform.ts'
import type { SessionStore } from '../../session.ts'
import { type TokenStore, tokenStore } from '../home/home.ts'
import { type BrowserSessions, openBrowserSessions } from './browser-sessions.ts'
import { type NamedTokens, openNamedTokens } from './named-tokens.ts'
import { openTokenUses, type TokenUses } from './token-uses.ts'

export interface GatewayTokens {
  readonly owner: TokenStore
  readonly named: NamedTokens
  readonly browsers: BrowserSessions
  readonly uses: TokenUses
}

interface GatewayTokensOptions {
  readonly home: string
  readonly configured?: string | undefined
  readonly store: Pick<SessionStore, 'transaction'>
  readonly random: (bytes: number) => Uint8Array
  readonly clock: Clock
}

export function openGatewayTokens({ home, configured, store, random, clock }: GatewayTokensOptions): GatewayTokens {
  const common = { home, random, clock }
  return {
    owner: tokenStore({ home, configured, random }),
    named: openNamedTokens({ ...common, store }),
    browsers: openBrowserSessions(common),
    uses: openTokenUses(common),
  }
}
