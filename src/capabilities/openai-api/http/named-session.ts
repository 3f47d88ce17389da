import type { Binding } from '../../../session.ts'

/**
 * The session that a request names: by its id or `new` in the header `x-foreword-session`, or else by the conversation in the field
 * `user`. `undefined`: the request belongs to no session.
 */
export function namedSession(request: Request, user: string | null | undefined): string | Binding | undefined {
  const session = request.headers.get('x-foreword-session')
  if (session !== null) return session
  return user ? { channel: CHANNEL, conversation: user } : undefined
}

/** The channel of conversations that `user` names, in the bindings of sessions. */
const CHANNEL = 'openai'
