import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'
import { type Configuration, Provider } from 'oidc-provider'

/** What the provider knows of somebody who may log in there. */
export interface Account {
  readonly email?: string
  readonly email_verified?: boolean | string
  readonly preferred_username?: string
  readonly groups?: readonly string[] | string
}

export interface ScriptedProvider {
  readonly issuer: string
  /** Who logs in with the next interaction. */
  login: string
  /** How far its clock is behind when it signs a token, which is valid for an hour, seconds. */
  behindSeconds: number
  /** Stops answering, and answers again. */
  down(): Promise<void>
  up(): Promise<void>
}

interface ProviderOptions {
  readonly accounts: Readonly<Record<string, Account>>
  readonly redirects: readonly string[]
  /** Claims are in the token itself, rather than behind an endpoint of their own. */
  readonly claimsInToken?: boolean
}

export const SECRET = 'the-secret-of-the-client-at-the-provider'

/** A real OpenID provider on loopback, under a name of this machine, with a client `foreword`, a second one, `other`, and one without a secret, `public`. */
export async function openProvider(
  t: TestContext,
  options: (issuer: string) => ProviderOptions | Promise<ProviderOptions>,
  host = '127.0.0.1',
): Promise<ScriptedProvider> {
  let listener: RequestListener = () => {}
  const http = createServer((request, response) => listener(request, response))
  const listen = (port: number) => new Promise<void>((resolve) => void http.listen(port, '127.0.0.1', resolve))
  const close = () =>
    new Promise<void>((resolve) => {
      http.close(() => resolve())
      http.closeAllConnections()
    })
  await listen(0)
  const { port } = http.address() as AddressInfo
  t.after(close)
  const issuer = `http://${host}:${port}`
  const { accounts, redirects, claimsInToken = false } = await options(issuer)
  const state: ScriptedProvider = {
    issuer,
    login: Object.keys(accounts)[0]!,
    behindSeconds: 0,
    down: close,
    up: () => listen(port),
  }
  const client = {
    redirect_uris: [...redirects],
    grant_types: ['authorization_code'],
    response_types: ['code' as const],
  }
  const configuration: Configuration = {
    clients: [
      { ...client, client_id: 'foreword', client_secret: SECRET },
      { ...client, client_id: 'posted', client_secret: SECRET, token_endpoint_auth_method: 'client_secret_post' },
      { ...client, client_id: 'other', client_secret: `${SECRET}-of-the-other` },
      { ...client, client_id: 'public', token_endpoint_auth_method: 'none' },
    ],
    claims: {
      openid: ['sub'],
      email: ['email', 'email_verified'],
      profile: ['preferred_username'],
      groups: ['groups'],
    },
    conformIdTokenClaims: !claimsInToken,
    cookies: { keys: ['a key of this test'] },
    features: { devInteractions: { enabled: false } },
    findAccount: (_, id) => ({ accountId: id, claims: () => ({ sub: id, ...accounts[id] }) }),
    interactions: { url: (_, { uid }) => `/interaction/${uid}` },
    async loadExistingGrant({ oidc }) {
      const grant = new oidc.provider.Grant({ clientId: oidc.client!.clientId, accountId: oidc.session!.accountId! })
      grant.addOIDCScope('openid email profile groups')
      await grant.save()
      return grant
    },
    pkce: { required: () => true },
    ttl: { IdToken: 3_600, AccessToken: 86_400, Session: 600, Interaction: 600, Grant: 600 },
  }
  const provider = new Provider(issuer, configuration)
  const answer = provider.callback()
  listener = (request, response) => {
    if (request.url === '/token' && state.behindSeconds > 0) {
      const now = Date.now
      // The gateway, in this very process, does nothing but wait for the answer.
      Date.now = () => now() - state.behindSeconds * 1_000
      const { end } = response
      response.end = (...last: unknown[]) => {
        Date.now = now
        return Reflect.apply(end, response, last)
      }
    }
    if (request.url?.startsWith('/interaction/') !== true) return void answer(request, response)
    void provider.interactionFinished(request, response, { login: { accountId: state.login } })
  }
  return state
}
