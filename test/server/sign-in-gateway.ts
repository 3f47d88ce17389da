import { randomBytes } from 'node:crypto'
import type { TestContext } from 'node:test'
import { builtIn } from '../../src/foreword.ts'
import { defined, systemClock } from '../../src/platform.ts'
import { type HostedRuntime, loadConfiguration, openGatewayTokens } from '../../src/runtime.ts'
import { openPeopleHomes } from '../../src/runtime/people/people-homes.ts'
import { listen, type ServerOptions } from '../../src/server.ts'
import type { OpenidSettings } from '../../src/server/sign-in/identity.ts'
import { openedHome } from '../home/opened-home.ts'
import { type Account, openProvider, SECRET } from './openid-provider.ts'
import { served } from './served.ts'

export interface SignInOptions {
  readonly openid?: Partial<OpenidSettings>
  readonly accounts?: Readonly<Record<string, Account>>
  readonly claimsInToken?: boolean
  readonly publicUrl?: string
  readonly secret?: () => Promise<string | undefined>
  readonly server?: Partial<ServerOptions>
}

export const accounts = {
  ann: { email: 'Ann@Reef.example', email_verified: true, preferred_username: 'Ann', groups: ['divers'] },
  bob: { email: 'bob@elsewhere.example', email_verified: true, preferred_username: 'bob', groups: [] },
  eve: { email: 'eve@reef.example', email_verified: false, preferred_username: 'eve' },
  max: { email: 'max@reef.example', email_verified: 'true', preferred_username: 'max' },
  dan: { preferred_username: 'dan', groups: ['divers', 'captains'] },
} satisfies Readonly<Record<string, Account>>

/** A gateway on a port, a provider on another, and the list of people in a file of the home. */
export async function signInGateway(t: TestContext, options: SignInOptions = {}) {
  const { runtime, home } = await openedHome(t)
  const { configuration } = await loadConfiguration({ home, environment: {}, capabilities: builtIn })
  const tokens = openGatewayTokens({ clock: systemClock, home, store: runtime.store, random: randomBytes })
  const homes = openPeopleHomes({
    home,
    clock: systemClock,
    around: () => ({
      people: tokens.people,
      store: runtime.store,
      shared: (runtime as unknown as HostedRuntime).shared,
    }),
    configuration,
    capabilities: builtIn,
    environment: {},
    version: '0',
    warn: () => {},
  })
  t.after(() => homes.close())
  const { people } = homes
  const noted: string[] = []
  const requests: string[] = []
  /** What happens to answers of the provider before the gateway reads them. */
  let change = async (_address: string, response: Response): Promise<Response> => response
  const { port, provider, base, settle } = await opened()

  async function opened() {
    const settings = { current: undefined as OpenidSettings | undefined }
    const { server } = served(runtime, {
      log: { error: (facts) => void noted.push(JSON.stringify(facts)) },
      ...options.server,
      people: homes,
      tokens,
      publicUrl: options.publicUrl,
      signIn: {
        get openid() {
          return settings.current!
        },
        secret: options.secret ?? (async () => SECRET),
        async fetch(input, init) {
          const { href, pathname } = new URL(input as string)
          requests.push(pathname)
          return change(href, await fetch(input, init))
        },
      },
    })
    const listening = await listen(server, { port: 0, bind: '127.0.0.1' })
    t.after(() => listening.close({ graceMs: 100 }))
    const origin = listening.url
    const known = await openProvider(t, () => ({
      accounts: options.accounts ?? accounts,
      redirects: [`${origin}/sign-in/done`, ...(options.publicUrl ? [`${options.publicUrl}/sign-in/done`] : [])],
      ...(options.claimsInToken && { claimsInToken: true }),
    }))
    settings.current = {
      issuer: known.issuer,
      clientId: 'foreword',
      scopes: ['profile', 'email', 'groups'],
      groupsClaim: 'groups',
      nameClaim: 'preferred_username',
      hours: 168,
      allow: { domains: ['reef.example'] },
      ...options.openid,
    }
    return { port: listening.port, provider: known, base: origin, settle: () => server.settle() }
  }

  return {
    home,
    runtime,
    /** Those in the list, without when they were added. */
    listed: () =>
      people.list().map(({ name, role, email, identity, groups }) => defined({ name, role, email, identity, groups })),
    people,
    browsers: tokens.browsers,
    provider,
    base,
    /** Resolves once the audit has what was counted. */
    settle,
    /** The name of the cookie of a browser that is signed in, and of one that is on its way. */
    cookieName: `foreword_${port}`,
    flowName: `foreword_${port}_sign_in`,
    /** What the log says of failures. */
    noted,
    /** Paths of the provider that the gateway asked for. */
    requests,
    changeAnswers: (next: typeof change) => void (change = next),
    audit: async () =>
      (await runtime.store.audit()).filter(({ rule }) => rule === 'sign-in').map(({ reason }) => reason),
  }
}
