import { z } from 'zod'
import { type Route, route, type Runtime, RuntimeError } from '../../capability.ts'
import { defined, serialQueue } from '../../platform.ts'
import type { TokenStore } from '../../runtime.ts'
import { empty, json } from '../answer.ts'
import { browserCookie } from '../guard.ts'

interface TokenRoutesOptions {
  readonly hasToken: boolean
  readonly tokens: TokenStore | undefined
  /** The server asks for this token from now on. */
  use(token: string): void
}

/** The token of the gateway for its owner: never the token itself. No tool reaches these endpoints. */
export function tokenRoutes({ store }: Runtime, { hasToken, tokens, use }: TokenRoutesOptions): readonly Route[] {
  const alone = serialQueue()
  const canReplace = tokens !== undefined && !tokens.isConfigured
  return [
    route({
      method: 'GET',
      path: '/api/token',
      tag: 'system',
      summary: 'Reports whether callers need a token, and when it was made. Never the token itself',
      answers: {
        200: {
          description: 'The facts',
          schema: z.object({
            needed: z.boolean(),
            made: z.string().optional().describe('When it was stored, ISO 8601.'),
            canReplace: z.boolean().describe('`false` where the configuration sets it.'),
          }),
        },
      },
      handle: async () => json({ needed: hasToken, canReplace, ...defined({ made: await tokens?.made() }) }),
    }),
    route({
      method: 'POST',
      path: '/api/token/replace',
      tag: 'system',
      summary:
        'Makes a new token: every other browser and program has to bring it, and the one that asks stays signed in',
      description:
        'The new token is in the home, and in no answer: `foreword token` prints it. A browser gets its new cookie with the answer.',
      answers: { 204: { description: 'Replaced; with a cookie for a browser' } },
      async handle({ request }) {
        if (!tokens || !canReplace) throw notReplaceable(tokens)
        const token = await alone.add(async () => {
          const reason = 'a new token was made on the page'
          const time = new Date().toISOString()
          // First: a token that counts without its record, or without the cookie of the answer, would lock the owner out.
          await store.transaction([{ type: 'audit', facts: { kind: 'change', rule: 'data/token', reason }, time }])
          const made = await tokens.replace()
          use(made)
          return made
        })
        const isBrowser = request.headers.get('cookie') !== null
        return empty(204, isBrowser ? { 'set-cookie': browserCookie(request, token) } : {})
      },
    }),
  ]
}

function notReplaceable(tokens: TokenStore | undefined): RuntimeError {
  if (!tokens) {
    const hint = 'Start the gateway with `foreword start`: it keeps its token in the home.'
    return new RuntimeError('invalid-input', 'This gateway keeps no token that can be replaced here.', {}, { hint })
  }
  return new RuntimeError(
    'invalid-input',
    'The configuration sets the token of this gateway.',
    {},
    {
      hint: 'Change gateway.token, or the variable FOREWORD_GATEWAY_TOKEN, and start the gateway again.',
    },
  )
}
