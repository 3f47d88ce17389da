import type { ClientAuth, Configuration as Client, UserInfoResponse } from 'openid-client'
import { type Clock, fieldsOf } from '../../platform.ts'
import { HttpFailure } from '../failure.ts'
import type { Claims, OpenidSettings } from './identity.ts'
import { limitedFetch, unavailable } from './limited-fetch.ts'
import type { Flow } from './flows.ts'

interface ProviderOptions {
  readonly settings: OpenidSettings
  readonly fetch: typeof globalThis.fetch
  readonly clock: Clock
  /** The secret of the client, read whenever the provider is looked at. `undefined`: a public client. */
  secret(): Promise<string | undefined>
}

/** What a provider said about somebody who came back from it. */
export interface ProvedIdentity {
  readonly issuer: string
  readonly sub: string
  /** Claims of the token, then those of the endpoint for them where it was asked. */
  readonly sources: readonly Claims[]
}

/** The clocks of this machine and the provider may differ by so many seconds. */
const CLOCK_TOLERANCE = 60
/** What the provider says of itself is read again after this time, ms, and at once where that failed. */
const KEPT_MS = 3_600_000

/** The OpenID provider of a gateway. Nothing is loaded and nobody asked before the first sign-in. */
export function openProvider(options: ProviderOptions) {
  const { settings, clock } = options
  let known: { until: number; readonly client: Promise<Client> } | undefined

  function client(): Promise<Client> {
    if (known !== undefined && known.until > clock.now()) return known.client
    const found = { until: clock.now() + KEPT_MS, client: discover(options) }
    found.client.catch(() => (found.until = 0))
    known = found
    return found.client
  }

  return {
    /** Begins a sign-in that comes back to an address: where the browser goes, and what proves later that it was this one. */
    async begin(back: string): Promise<Pick<Flow, 'state' | 'nonce' | 'verifier'> & { readonly address: string }> {
      const [found, library] = await Promise.all([client(), import('openid-client')])
      const { randomState, randomNonce, randomPKCECodeVerifier, calculatePKCECodeChallenge, buildAuthorizationUrl } =
        library
      const [state, nonce, verifier] = [randomState(), randomNonce(), randomPKCECodeVerifier()]
      const address = buildAuthorizationUrl(found, {
        redirect_uri: back,
        scope: [...new Set(['openid', ...settings.scopes])].join(' '),
        response_type: 'code',
        state,
        nonce,
        code_challenge: await calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
      })
      return { address: address.href, state, nonce, verifier }
    },
    /**
     * Exchanges the code that a browser came back with, and checks what the provider signed. `query` begins with `?`. Rejects with
     * `sign-in-failed` where the answer is not valid, and `sign-in-unavailable` where the provider does not work.
     */
    async finish({ state, nonce, verifier, back }: Flow, query: string): Promise<ProvedIdentity> {
      const [found, library] = await Promise.all([client(), import('openid-client')])
      const { authorizationCodeGrant, fetchUserInfo } = library
      try {
        const tokens = await authorizationCodeGrant(found, new URL(query, back), {
          expectedState: state,
          expectedNonce: nonce,
          pkceCodeVerifier: verifier,
          idTokenExpected: true,
        })
        const claims = tokens.claims()!
        const sources: Claims[] = [claims]
        const wanted = ['email_verified', settings.nameClaim, settings.groupsClaim]
        if (
          found.serverMetadata().userinfo_endpoint !== undefined &&
          wanted.some((claim) => !Object.hasOwn(claims, claim))
        ) {
          const info: UserInfoResponse = await fetchUserInfo(found, tokens.access_token, claims.sub)
          sources.push(info)
        }
        return { issuer: claims.iss, sub: claims.sub, sources }
      } catch (error) {
        const failure = providerFailure(error)
        // Its keys, or the secret of the client, may be new.
        if (failure.code === 'sign-in-unavailable') known = undefined
        throw failure
      }
    },
  }
}

async function discover({ settings, fetch, clock, secret }: ProviderOptions): Promise<Client> {
  const { issuer, clientId, clientSecretIn } = settings
  const [library, clientSecret] = await Promise.all([import('openid-client'), secret()])
  const { allowInsecureRequests, clockTolerance, customFetch, discovery, enableNonRepudiationChecks } = library
  const { ClientSecretBasic, ClientSecretPost, None } = library
  /** A provider that does not say what it accepts accepts the header. */
  const proveClient: ClientAuth = (provider, ...rest) => {
    if (clientSecret === undefined) return None()(provider, ...rest)
    const accepted = provider.token_endpoint_auth_methods_supported ?? ['client_secret_basic']
    const isHeader = (clientSecretIn ?? (accepted.includes('client_secret_basic') ? 'header' : 'body')) === 'header'
    return (isHeader ? ClientSecretBasic : ClientSecretPost)(clientSecret)(provider, ...rest)
  }
  try {
    return await discovery(new URL(issuer), clientId, { [clockTolerance]: CLOCK_TOLERANCE }, proveClient, {
      [customFetch]: limitedFetch(fetch, clock),
      // Signatures are checked although the token comes from the provider itself: its certificate is not the only proof then.
      execute: [enableNonRepudiationChecks, ...(issuer.startsWith('http:') ? [allowInsecureRequests] : [])],
    })
  } catch (error) {
    throw failureIn(error) ?? unavailable('what it says of itself is not valid', error)
  }
}

/** The provider's answers that are about this gateway, not about somebody who signs in. */
const WRONG_CLIENT: readonly unknown[] = [
  'invalid_client',
  'unauthorized_client',
  'invalid_scope',
  'server_error',
  'temporarily_unavailable',
]

function providerFailure(error: unknown): HttpFailure {
  const known = failureIn(error)
  if (known !== undefined) return known
  const { error: code, code: kind } = fieldsOf(error)
  if (WRONG_CLIENT.includes(code)) return unavailable(`it answers ${String(code)}`, error)
  if (kind === 'OAUTH_WWW_AUTHENTICATE_CHALLENGE')
    return unavailable('it does not accept the id and secret of this gateway', error)
  return signInFailed(
    code === 'access_denied' ? 'You or the provider ended it.' : 'The answer of the provider is not valid.',
    error,
  )
}

/** Why something failed, for the log: what errors say, without the tokens that they hold. */
export function reasonOf(error: unknown): string {
  const reasons: string[] = []
  for (let each = error; each instanceof Error; each = each.cause) {
    const { error: code } = fieldsOf(each)
    reasons.push(typeof code === 'string' ? `${each.message} (${code})` : each.message)
  }
  return reasons.join(': ').slice(0, 1_000)
}

/** A failure of our own that the library has wrapped. */
function failureIn(error: unknown): HttpFailure | undefined {
  for (let each = error; each instanceof Error; each = each.cause) if (each instanceof HttpFailure) return each
  return undefined
}

/** A browser came back with something that proves nothing. */
export function signInFailed(why: string, cause?: unknown): HttpFailure {
  const failure = new HttpFailure(
    'sign-in-failed',
    `The sign-in failed. ${why}`,
    {},
    { hint: 'Begin the sign-in again.' },
  )
  failure.cause = cause
  return failure
}
