import { z } from 'zod'
import { type Route, jsonAnswer, route, type Runtime, RuntimeError, tokenScopes } from '../../capability.ts'
import { defined, serialQueue, sha256 } from '../../platform.ts'
import {
  BROWSER_SESSION_SECONDS,
  type BrowserSessions,
  type GatewayTokens,
  listedTokens,
  type TokenStore,
} from '../../runtime.ts'
import { empty } from '../answer.ts'
import { cookieHeader, readCookie, remoteOf } from '../cookies.ts'
import { hostOf } from '../guard.ts'

interface TokenRoutesOptions {
  readonly hasToken: boolean
  readonly tokens: GatewayTokens | undefined
  readonly browsers: BrowserSessions
  use(token: string): void
  /** A named token was made: this is the only moment at which it is known. */
  onMade(name: string, token: string): void
}

const tag = 'tokens'
const name = z.string().min(1).max(64)
const scope = z.enum(tokenScopes)
const time = z.string().optional()
const personName = z.string().min(1).max(32).describe('Whose home it opens. Absent: that of the owner.')

const listed = z.object({
  name,
  scope,
  made: z.string(),
  person: personName.optional(),
  invites: z.literal(true).optional().describe('It is an invitation: it signs one browser of that person in, once.'),
  expires: time.describe('Absent: never.'),
  used: time.describe('When it was last used, to the minute. Absent: never.'),
  isExpired: z.boolean(),
})

/** The tokens of the gateway for its owner. No tool reaches these endpoints. */
export function tokenRoutes(runtime: Runtime, options: TokenRoutesOptions): readonly Route[] {
  return [...ownerTokenRoutes(runtime, options), ...namedTokenRoutes(runtime, options), logoutRoute(options)]
}

function ownerTokenRoutes(
  { store }: Runtime,
  { hasToken, tokens, browsers, use }: TokenRoutesOptions,
): readonly Route[] {
  const alone = serialQueue()
  const owner = tokens?.owner
  const canReplace = owner !== undefined && !owner.isConfigured
  return [
    route('GET /api/token', {
      scope: 'read',
      tag,
      summary: 'Reports whether callers need a token, when that of the owner was made, and whose the caller has',
      answers: () =>
        jsonAnswer('The facts', {
          needed: z.boolean(),
          made: time.describe('When the token of the owner was stored, ISO 8601.'),
          canReplace: z.boolean().describe('`false` where the configuration sets it.'),
          caller: z.object({
            name: name.optional().describe('Of a named token. Absent: that of the owner.'),
            scope: z.string(),
            person: personName.optional(),
          }),
        }),
      handle: async ({ caller }) => ({
        needed: hasToken,
        canReplace,
        ...defined({ made: caller.person === undefined ? await owner?.made() : undefined }),
        caller: { scope: caller.scope, ...defined({ name: caller.name, person: caller.person }) },
      }),
    }),
    route('POST /api/token/replace', {
      scope: 'admin',
      tag,
      summary:
        'Makes a new token for the owner: every other browser and program with the old one has to bring it, and the one that asks stays signed in',
      description:
        'The new token is in the home, and in no answer: `foreword token` prints it. A browser gets its new cookie with the answer. Named tokens stay valid.',
      answers: { 204: { description: 'Replaced; with a cookie for a browser' } },
      async handle({ request, caller }) {
        if (!owner || !canReplace) throw notReplaceable(owner)
        const token = await alone.add(async () => {
          const facts = {
            kind: 'change',
            rule: 'data/token',
            by: caller.by,
            reason: 'a new token was made on the page',
          } as const
          // First: a token that counts without its record, or without the cookie of the answer, would lock the owner out.
          await store.transaction([{ type: 'audit', facts, time: store.clock.time() }])
          const made = await owner.replace()
          use(made)
          return made
        })
        const isOwnersBrowser = caller.name === undefined && request.headers.get('cookie') !== null
        if (!isOwnersBrowser) return empty(204)
        const seconds = BROWSER_SESSION_SECONDS
        const { isSecure } = remoteOf(request, undefined)
        const cookie = cookieHeader(hostOf(request), await browsers.begin(sha256(token)), { seconds, isSecure })
        return empty(204, { 'set-cookie': cookie })
      },
    }),
  ]
}

/** Tokens for others. A token is in the answer that makes it, and in no other. */
function namedTokenRoutes({ store }: Runtime, { tokens, onMade }: TokenRoutesOptions): readonly Route[] {
  if (tokens === undefined) return []
  const { named, uses } = tokens
  return [
    route('GET /api/tokens', {
      scope: 'admin',
      summary: 'Lists the named tokens, without the tokens themselves',
      answers: () => jsonAnswer('Tokens', { tokens: z.array(listed) }),
      handle: async () => ({ tokens: listedTokens(named.list(), await uses.all(), store.clock.now()) }),
    }),
    route('POST /api/tokens', {
      scope: 'admin',
      summary: 'Makes a named token. Only this answer contains it',
      body: z.strictObject({
        name,
        scope,
        person: personName.optional(),
        expires: z
          .string()
          .max(100)
          .optional()
          .describe('A span such as `30d`, a date, which is valid to its end, or a time. Absent: never.'),
      }),
      answers: () =>
        jsonAnswer(
          'The token',
          listed
            .pick({ name: true, scope: true, person: true, made: true, expires: true })
            .extend({ token: z.string() }),
          201,
        ),
      async handle({ body, caller }) {
        const { hash: _hash, ...made } = await named.make(body, caller.by)
        onMade(made.name, made.token)
        return made
      },
    }),
    route('DELETE /api/tokens/:name', {
      scope: 'admin',
      summary: 'Revokes a named token: it is refused from now on, and what it holds open ends within a second',
      answers: { 204: { description: 'Revoked' } },
      handle: ({ param, caller }) => named.revoke(param('name'), caller.by),
    }),
  ]
}

function logoutRoute({ browsers }: TokenRoutesOptions): Route {
  return route('POST /api/logout', {
    scope: 'read',
    tag,
    summary: 'Signs this browser out: its cookie is not valid any more',
    answers: { 204: { description: 'Signed out' } },
    async handle({ request }) {
      const host = hostOf(request)
      const cookie = readCookie(request.headers, host)
      if (cookie !== undefined) await browsers.end(cookie)
      const { isSecure } = remoteOf(request, undefined)
      return empty(204, { 'set-cookie': cookieHeader(host, '', { seconds: 0, isSecure }) })
    },
  })
}

function notReplaceable(owner: TokenStore | undefined): RuntimeError {
  if (!owner) {
    const hint = 'Start the gateway with `foreword start`: it keeps its token in the home.'
    return new RuntimeError('invalid-input', 'This gateway keeps no token that can be replaced here.', {}, { hint })
  }
  return new RuntimeError(
    'invalid-input',
    'The configuration sets the token of this gateway.',
    {},
    { hint: 'Change gateway.token, or the variable FOREWORD_GATEWAY_TOKEN, and start the gateway again.' },
  )
}
