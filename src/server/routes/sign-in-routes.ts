import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import { type Route, route } from '../../capability.ts'
import { type Clock, once } from '../../platform.ts'
import type { BrowserSessions, PeopleHomes } from '../../runtime.ts'
import type { AuditFacts } from '../../session.ts'
import { createBrake, failedSignIns } from '../brake.ts'
import type { SignInOptions } from '../sign-in/sign-in-options.ts'

interface SignInRoutesOptions {
  readonly signIn: SignInOptions
  readonly publicUrl?: string | undefined
  readonly homes: PeopleHomes
  readonly browsers: BrowserSessions
  readonly clock: Clock
  record(facts: AuditFacts, time: string): Promise<void>
  /** Why a sign-in failed, for the log. */
  note(reason: string): void
}

/** Where browsers sign in with a provider. What it takes is loaded with the first of them. */
export function openSignInRoutes(options: SignInRoutesOptions) {
  const { clock, record } = options
  const brake = createBrake({ clock, record, counted: failedSignIns })
  const signIn = once(async () => {
    const { createSignIn } = await import('../sign-in/sign-in.ts')
    const recordNow = (facts: AuditFacts) => record(facts, clock.time())
    return createSignIn({ ...options, ...options.signIn, random: randomBytes, brake, record: recordNow })
  })
  const routes: readonly Route[] = [
    route('GET /sign-in', {
      tag: 'sign-in',
      summary: 'Sends a browser to the OpenID provider',
      // Nobody has a token yet. Nothing of the home is said.
      needsToken: false,
      query: z.object({
        to: z.string().optional().describe('Path of this gateway that the browser goes to at the end.'),
      }),
      answers: {
        303: { description: 'To the provider' },
        502: { description: 'The provider does not work', media: 'text/html' },
      },
      handle: async (call) => (await signIn()).begin(call, call.query.to),
    }),
    route('GET /sign-in/done', {
      tag: 'sign-in',
      summary: 'Signs a browser in that comes back from the OpenID provider',
      needsToken: false,
      answers: {
        303: { description: 'Signed in: to the page, with a cookie' },
        401: { description: 'What it brings is not valid', media: 'text/html' },
        403: { description: 'No rule lets this person in', media: 'text/html' },
        502: { description: 'The provider does not work', media: 'text/html' },
      },
      handle: async (call) => (await signIn()).finish(call),
    }),
  ]
  return { routes, brake }
}
