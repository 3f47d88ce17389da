import { readFile } from 'node:fs/promises'
import type { Configuration, Environment } from '../../runtime.ts'
import type { TrustedProxySettings } from '../trusted-proxy.ts'
import type { OpenidSettings } from './identity.ts'
import { unavailable } from './limited-fetch.ts'

/** How people sign in with a provider. */
export interface SignInOptions {
  readonly openid: OpenidSettings
  readonly fetch: typeof globalThis.fetch
  /** The secret of the client; `undefined`: a public client. */
  secret(): Promise<string | undefined>
}

/** How browsers reach a gateway, and how people come in beside tokens. */
export interface EntranceOptions {
  readonly signIn?: SignInOptions | undefined
  readonly trustedProxy?: TrustedProxySettings | undefined
  /** Address that browsers reach the gateway by; absent: the one that they ask for. */
  readonly publicUrl?: string | undefined
  /** Address that other gateways reach this one by; absent: the one that it listens on. */
  readonly peerAddress?: string | undefined
}

/** The options of a server that follow from the configuration of a gateway. */
export function entranceOptions(
  { openid, trustedProxy, publicUrl, peerAddress }: Configuration['gateway'],
  environment: Environment,
): EntranceOptions {
  const fetch: typeof globalThis.fetch = (...request) => globalThis.fetch(...request)
  return {
    trustedProxy,
    publicUrl,
    peerAddress,
    ...(openid && { signIn: { openid, fetch, secret: () => clientSecret(openid, environment) } }),
  }
}

/** Read again whenever the provider is looked at, so that a new secret needs no start. */
async function clientSecret(
  { clientSecretEnv, clientSecretFile }: OpenidSettings,
  environment: Environment,
): Promise<string | undefined> {
  if (clientSecretFile !== undefined) {
    try {
      return (await readFile(clientSecretFile, 'utf8')).trim()
    } catch (error) {
      throw unavailable('the file of gateway.openid.clientSecretFile cannot be read', error)
    }
  }
  if (clientSecretEnv === undefined) return undefined
  const secret = environment[clientSecretEnv]
  if (secret) return secret
  throw unavailable(`${clientSecretEnv}, which gateway.openid names, is not set`)
}
