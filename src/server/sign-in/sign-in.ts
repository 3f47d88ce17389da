import type { RouteCall } from '../../capability.ts'
import type { Clock } from '../../platform.ts'
import type { BrowserSessions, PeopleHomes } from '../../runtime.ts'
import type { AuditFacts } from '../../session.ts'
import { empty } from '../answer.ts'
import type { Brake } from '../brake.ts'
import { cookieHeader, flowCookieHeader, readFlowCookie, remoteOf } from '../cookies.ts'
import { HttpFailure } from '../failure.ts'
import { failurePage, wantsPage } from '../failure-page.ts'
import { hostOf } from '../guard.ts'
import { createAdmission } from './admit-person.ts'
import { createFlows, type Flow, FLOW_SECONDS } from './flows.ts'
import { isLetIn, readIdentity, type SignedInIdentity } from './identity.ts'
import { openProvider, reasonOf, signInFailed } from './provider.ts'
import type { SignInOptions } from './sign-in-options.ts'

interface SignInParts extends SignInOptions {
  readonly publicUrl?: string | undefined
  readonly homes: Pick<PeopleHomes, 'people' | 'add'>
  readonly browsers: Pick<BrowserSessions, 'beginFor'>
  readonly clock: Clock
  readonly random: (bytes: number) => Uint8Array
  readonly brake: Brake
  record(facts: AuditFacts): Promise<void>
  /** Why a sign-in failed, for the log. */
  note(reason: string): void
}

type Call = Pick<RouteCall<unknown, unknown>, 'request' | 'remote'>

/** Where the provider sends browsers back to. */
const BACK_PATH = '/sign-in/done'

/** The most sign-ins whose codes are exchanged at the same time. */
const MOST_EXCHANGES = 50

/** Signs browsers in. Failures are pages where the browser shows pages, else the usual answers. */
export function createSignIn(options: SignInParts) {
  const { openid, publicUrl, homes, browsers, clock, random, brake, record } = options
  const provider = openProvider({ ...options, settings: openid })
  const flows = createFlows({ clock, random })
  const admit = createAdmission(homes)
  let exchanges = 0

  function browserOf({ request, remote }: Call) {
    const host = hostOf(request)
    const { address, isSecure } = remoteOf(request, remote)
    const origin = publicUrl ? new URL(publicUrl).origin : `${isSecure ? 'https' : 'http'}://${host}`
    return { host, address, origin, isSecure: origin.startsWith('https:') }
  }

  /** The flow that this browser began and comes back from. */
  function flowOf({ request }: Call, host: string): Flow {
    const flow = flows.open(readFlowCookie(request.headers, host) ?? '')
    if (flow === undefined) throw signInFailed('It was not begun in this browser, or too long ago.')
    const states = new URL(request.url).searchParams.getAll('state')
    if (states.length !== 1 || states[0] !== flow.state) throw signInFailed('It belongs to another beginning.')
    if (!flows.use(flow)) throw signInFailed('It has ended already.')
    return flow
  }

  async function identityOf(flow: Flow, query: string): Promise<SignedInIdentity> {
    if (exchanges >= MOST_EXCHANGES)
      throw new HttpFailure(
        'too-many-attempts',
        `${exchanges} sign-ins are under way at once, which are as many as there may be.`,
        { tries: exchanges, retryAfterSeconds: 5 },
        { hint: 'Try again in 5 s.', headers: { 'retry-after': '5' } },
      )
    exchanges += 1
    try {
      const { sources, ...proved } = await provider.finish(flow, query)
      return readIdentity(proved, sources, openid)
    } finally {
      exchanges -= 1
    }
  }

  async function refuseDenied(identity: SignedInIdentity): Promise<void> {
    if (isLetIn(identity, openid.allow)) return
    const { email, sub, issuer } = identity
    const reason = `sign-in refused: ${(email ?? sub).slice(0, 200)} by ${issuer}`
    await record({ kind: 'decision', decision: 'refused', rule: 'sign-in', reason })
    throw new HttpFailure(
      'sign-in-denied',
      `You signed in as ${email ?? sub}, and nobody has let you in here.`,
      {},
      {
        hint: 'Ask the owner of this gateway to add you to gateway.openid.allow. An address counts once it is verified.',
      },
    )
  }

  return {
    /** Sends a browser to the provider. `to`: the path that it goes to at the end. */
    async begin(call: Call, to: string | undefined): Promise<Response> {
      const { host, origin, isSecure } = browserOf(call)
      try {
        const back = `${origin}${BACK_PATH}`
        const { address, ...begun } = await provider.begin(back)
        const value = flows.seal({ ...begun, back, to: localPath(to) })
        const cookie = flowCookieHeader(host, value, { seconds: FLOW_SECONDS, isSecure })
        return empty(303, { location: address, 'set-cookie': cookie })
      } catch (error) {
        return failed(call, error)
      }
    },
    /** Signs in a browser that comes back from the provider. */
    async finish(call: Call): Promise<Response> {
      const { host, address, isSecure } = browserOf(call)
      let cookie: string | undefined
      try {
        const flow = flowOf(call, host)
        cookie = flowCookieHeader(host, '', { seconds: 0, isSecure })
        const identity = await identityOf(flow, new URL(call.request.url).search)
        await refuseDenied(identity)
        const person = await admit(identity)
        const reason = `signed in: ${person} by ${identity.issuer}`
        await record({ kind: 'decision', decision: 'allowed', rule: 'sign-in', reason })
        const seconds = openid.hours * 3_600
        const value = await browsers.beginFor(person, seconds)
        const answer = empty(303, { location: flow.to })
        answer.headers.append('set-cookie', cookie)
        answer.headers.append('set-cookie', cookieHeader(host, value, { seconds, isSecure }))
        return answer
      } catch (error) {
        const isWrong = error instanceof HttpFailure && WRONG.includes(error.code)
        return failed(call, isWrong ? await brake.refuse(address, error) : error, cookie)
      }
    },
  }

  function failed({ request }: Call, error: unknown, cookie?: string): Response {
    if (!(error instanceof HttpFailure)) throw error
    if (error.cause !== undefined || error.code === 'sign-in-unavailable') options.note(reasonOf(error.cause ?? error))
    if (!wantsPage(request.headers)) throw error
    return failurePage(error.failure, request.headers, { signIn: true, cookie })
  }
}

/** What somebody who tries again and again has to wait for. */
const WRONG: readonly string[] = ['sign-in-failed', 'sign-in-denied']

/** Where the origin does not matter. */
const ANYWHERE = 'http://gateway.invalid'

/** The longest path that is kept for the end of a sign-in, characters. */
const LONGEST = 1_000

/** The path of this gateway in a text that anybody may have written: `/` for everything else, and without a query. */
function localPath(text: string | undefined): string {
  if (text?.startsWith('/') !== true || text.length > LONGEST || !URL.canParse(text, ANYWHERE)) return '/'
  const { origin, pathname } = new URL(text, ANYWHERE)
  // A browser reads `//name` as another host, also where it is left once `/./` is taken out.
  return origin === ANYWHERE && !/^\/[/\\]/.test(pathname) && !pathname.startsWith('/sign-in') ? pathname : '/'
}
